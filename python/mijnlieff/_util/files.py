"""Files that are replaced whole or not at all, and those that come with the package."""

from __future__ import annotations

import contextlib
import os
from pathlib import Path

from mijnlieff.errors import OutputError

__all__ = ["package_data", "part_path", "write_whole"]

_DATA = Path(__file__).resolve().parent.parent / "data"


def part_path(path: Path) -> Path:
    """Return the temporary file beside `path` that `write_whole` writes first."""
    return path.with_name(path.name + ".part")


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that after a kill at any moment it is the old one or the new one.

    The content goes to a temporary file beside it, which then takes its place. If anything fails,
    the temporary file is removed and the old file is unchanged.

    Args:
        path: the file to create or replace.
        content: all of its bytes.

    Raises:
        OutputError: the file cannot be written; the message names it.
    """
    part = part_path(path)
    try:
        try:
            with part.open("wb") as file:
                file.write(content)
                file.flush()
                # Otherwise a crash of the system could leave an empty file under the new name.
                os.fsync(file.fileno())
            part.replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                part.unlink()
            raise
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror or error}") from error


def package_data(name: str) -> bytes:
    """Return the content of a file in the folder ``data``.

    `importlib.resources` is not used because it imports modules. A process that is forked while
    another thread imports a module waits for ever if it imports the same module.
    """
    return (_DATA / name).read_bytes()
