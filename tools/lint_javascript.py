"""Check the JavaScript of the board and the website by oxlint: ``python -m tools.lint_javascript``.

The files of the widget are checked as the one module that they make.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from mijnlieff.widget.static_files import widget_module
from tools.results import ROOT

CONFIG = "web/.oxlintrc.json"
WIDGET_FILES = "python/mijnlieff/widget/static"
OTHERS = ("docs/_static", "tests/python/web", "web", f"{WIDGET_FILES}/page.js")


def main() -> None:
    """Print what is wrong, and exit with oxlint's code."""
    with TemporaryDirectory() as folder:
        widget = Path(folder) / "widget.js"
        widget.write_text(widget_module(), encoding="utf-8")
        oxlint = Path(sys.executable).with_name("oxlint")
        command = [f"{oxlint}", "--quiet", "--config", CONFIG, f"{widget}", *OTHERS]
        sys.exit(subprocess.run(command, cwd=ROOT).returncode)


if __name__ == "__main__":
    main()
