"""The files that come with the package."""

from __future__ import annotations

from pathlib import Path

__all__ = ["package_data"]

_FOLDER = Path(__file__).resolve().parent.parent / "data"


def package_data(name: str) -> bytes:
    """Return the content of a file in the folder ``data``.

    `importlib.resources` is not used because it imports modules. A process that is forked while
    another thread imports a module waits for ever if it imports the same module.
    """
    return (_FOLDER / name).read_bytes()
