"""Make all tables, plots and pictures of the website: ``make pages``.

It takes seconds, since it reads what was measured. A test compares what it makes with what is kept.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from tools.pages import (
    ablations,
    atlas,
    baselines,
    census,
    generalist,
    language_models,
    pictures,
    solution,
    training,
)
from tools.results import DOCS

PAGES = (
    ablations,
    atlas,
    baselines,
    census,
    generalist,
    language_models,
    pictures,
    solution,
    training,
)


def main() -> None:
    """Write the files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=DOCS, help="the folder to write into")
    out = parser.parse_args().out
    for page in PAGES:
        for name, text in page.files(DOCS).items():
            (out / name).parent.mkdir(parents=True, exist_ok=True)
            (out / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
