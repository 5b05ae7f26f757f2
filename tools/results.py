"""What was measured, as JSON files in ``docs/results``, from which the tables and plots are made.

They are kept with the pages: tables can be made again, and new rows added, on a machine that does
not have the networks.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

__all__ = ["DOCS", "RESULTS", "ROOT", "file_name", "read_results", "write_results"]

ROOT = Path(__file__).resolve().parents[1]
DOCS = ROOT / "docs"
RESULTS = DOCS / "results"
_DIGITS = 6


def file_name(name: str) -> str:
    """Return the name of what was measured as it stands in the names of files and folders."""
    return re.sub(", |[: ]", "-", name)


def read_results(file: Path) -> dict[str, Any]:
    """Return the content of a file, or an empty dict if there is no file."""
    if not file.exists():
        return {}
    content: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return content


def write_results(file: Path, content: dict[str, Any]) -> None:
    """Write a file with a line for each entry, and numbers of six significant digits.

    Measuring takes hours and may be stopped at any moment, so the file is the old or the new one.
    """
    # Here, since programs that take only a path from this file run without the package.
    from mijnlieff._util.files import write_whole

    entries = (f"{json.dumps(name)}: {json.dumps(_short(it))}" for name, it in content.items())
    file.parent.mkdir(parents=True, exist_ok=True)
    write_whole(file, ("{" + ",\n ".join(entries) + "}\n").encode())


def _short(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _short(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [_short(entry) for entry in value]
    return float(f"{value:.{_DIGITS}g}") if isinstance(value, float) else value
