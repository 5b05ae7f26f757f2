"""The files of the page that both front ends show."""

from __future__ import annotations

from functools import cache
from pathlib import Path

__all__ = ["static_file", "widget_module"]

_FOLDER = Path(__file__).resolve().parent / "static"
# In the order in which they need each other.
_PARTS = (
    "elements.js",
    "board.js",
    "trays.js",
    "moves.js",
    "setup.js",
    "rules.js",
    "end.js",
    "widget.js",
)


@cache
def static_file(name: str) -> str:
    """Return the text of a file in the folder ``static``."""
    return (_FOLDER / name).read_text(encoding="utf-8")


def widget_module() -> str:
    """Return the ES module of the board as one text, as a notebook cannot load several files."""
    return "\n".join(map(static_file, _PARTS))
