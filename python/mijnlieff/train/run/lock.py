"""Keeps two trainings from using one folder at the same time."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from pathlib import Path

from mijnlieff._util.files import writing
from mijnlieff.errors import TrainingError

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

__all__ = ["LOCK_NAME", "lock_folder"]

LOCK_NAME = "train.lock"
# Windows keeps other processes from reading locked bytes, so the lock is far beyond the process id.
_LOCKED_BYTE = 1 << 30
_held: set[int] = set()
"""The descriptors of the locks of this process."""


@contextlib.contextmanager
def lock_folder(folder: Path) -> Iterator[None]:
    """Lock a folder for one training while the `with` block runs.

    The lock is a file with the process id in it, locked by the operating system, which releases it
    when the process ends, even by a kill. Children that were forked meanwhile do not keep it. On
    file systems without locks nothing is refused.

    Args:
        folder: the folder, which exists.

    Raises:
        TrainingError: another training uses the folder; the message names its process.
        OSError: the folder cannot be written to.
    """
    path = folder / LOCK_NAME
    with writing(f"to the folder {folder}"):
        descriptor = _open_locked(path)
    if descriptor is None:
        raise TrainingError(
            f"another training ({_holder(path)}) is running in {folder}: wait until it ends, or "
            "use another folder"
        )
    _held.add(descriptor)
    try:
        yield
    finally:
        if descriptor in _held:  # not in a forked child
            _held.remove(descriptor)
            _unlock(path, descriptor)


def _unlock(path: Path, descriptor: int) -> None:
    # Windows does not remove open files. Elsewhere the file goes first: once unlocked, it may
    # belong to the next training.
    if sys.platform == "win32":
        os.close(descriptor)
    with contextlib.suppress(OSError):
        path.unlink()
    if sys.platform != "win32":
        os.close(descriptor)


def _close_in_child() -> None:
    """Leave the locks to the parent: the system would hold them until its last child has ended."""
    for descriptor in _held:
        os.close(descriptor)
    _held.clear()


if sys.platform != "win32":
    os.register_at_fork(after_in_child=_close_in_child)


def _open_locked(path: Path) -> int | None:
    """Create and lock the file; None if another process or thread has locked it."""
    while True:
        descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            locked = _lock(descriptor)
            if locked and _is_same_file(descriptor, path):
                os.ftruncate(descriptor, 0)
                os.write(descriptor, str(os.getpid()).encode())
                return descriptor
        except BaseException:
            os.close(descriptor)
            raise
        os.close(descriptor)
        if not locked:
            return None
        # Otherwise a training that ended between our open and our lock has removed the file.


def _lock(descriptor: int) -> bool:
    if sys.platform == "win32":
        os.lseek(descriptor, _LOCKED_BYTE, os.SEEK_SET)
        try:
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        os.lseek(descriptor, 0, os.SEEK_SET)
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        pass  # a file system without locks, as on some clusters
    return True


def _is_same_file(descriptor: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(descriptor), path.stat())
    except FileNotFoundError:
        return False


def _holder(path: Path) -> str:
    try:
        return f"process {int(path.read_bytes())}"
    except (OSError, ValueError):
        return "of an unknown process"
