"""Files that are replaced whole or not at all, those that come with the package, texts and JSON."""

from __future__ import annotations

import contextlib
import json
import math
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = [
    "json_text",
    "package_data",
    "parse_json",
    "part_path",
    "utf8_text",
    "write_json",
    "write_whole",
    "writing",
]

_DATA = Path(__file__).resolve().parent.parent / "data"
_MOST_BRACKETS = 500


def part_path(path: Path) -> Path:
    """Return the temporary file beside `path` that `write_whole` writes first."""
    return path.with_name(path.name + ".part")


@contextlib.contextmanager
def writing(what: object) -> Iterator[None]:
    """Let an error of the system in the block name what cannot be written.

    Raises:
        OSError: the block raised one.
    """
    try:
        yield
    except OSError as error:
        raise OSError(f"cannot write {what}: {error.strerror or error}") from error


def write_whole(path: Path, content: bytes) -> None:
    """Write a file so that after a kill at any moment it is the old one or the new one.

    The content goes to a temporary file beside it, which then takes its place. If anything fails,
    the temporary file is removed and the old file is unchanged. A symbolic link stays one: the file
    it points to is replaced.

    Args:
        path: the file to create or replace.
        content: all of its bytes.

    Raises:
        OSError: the file cannot be written, or something else than a file is there, such as a
            folder or a device; the message names it.
    """
    with writing(path):
        file = Path(os.path.realpath(path))
        if os.path.lexists(file) and not file.is_file():
            raise OSError("not a regular file")
        _replace(file, content)


def _replace(path: Path, content: bytes) -> None:
    part = part_path(path)
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


def write_json(path: Path, content: Any) -> None:
    """Write plain values as a JSON file by `write_whole`, see `json_text`."""
    write_whole(path, (json_text(content) + "\n").encode())


def package_data(name: str) -> bytes:
    """Return the content of a file in the folder ``data``.

    `importlib.resources` is not used because it imports modules. A process that is forked while
    another thread imports a module waits for ever if it imports the same module.
    """
    return (_DATA / name).read_bytes()


def utf8_text(content: bytes, name: str) -> str:
    """Return a text that a user gives, without the mark that editors of Windows put before it.

    Args:
        content: all of its bytes.
        name: what they are, for the message.

    Raises:
        ValueError: it is not UTF-8.
    """
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{name} is not UTF-8 text") from error


def json_text(content: Any) -> str:
    """Return plain values as indented JSON.

    JSON cannot express infinity (the Elo difference of a clean sweep) or NaN (a share of nothing),
    so null stands for both.
    """
    return json.dumps(_finite(content), indent=2, allow_nan=False)


def parse_json(text: str | bytes) -> Any:
    """Read a short JSON text that anyone may have written.

    Brackets are counted before the parser sees them. It would stop at Python's recursion limit,
    but the garbage collector can run there, and then the finalizers of other objects fail.

    Raises:
        ValueError: it is not JSON, not UTF-8, or has more than 500 opening brackets.
    """
    if isinstance(text, bytes):
        text = text.decode()
    brackets = text.count("[") + text.count("{")
    if brackets > _MOST_BRACKETS:
        raise ValueError(f"{brackets} opening brackets; at most {_MOST_BRACKETS} are read")
    return json.loads(text)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(entry) for key, entry in value.items()}
    if isinstance(value, tuple | list):
        return [_finite(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
