"""How every program of the package ends early: its exit code, and one line at most."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import NoReturn

import pytest

from commands import ENVIRONMENT
from mijnlieff.errors import PolicyError, VariantError

each_end = pytest.mark.parametrize(
    ("error", "code", "words"),
    [
        (ValueError("no such thing"), 2, "error: no such thing"),
        (VariantError("no such variant"), 2, "error: no such variant"),
        (PolicyError("no such policy"), 1, "error: no such policy"),
        (OSError("the disk\nis full"), 1, "error: the disk is full"),
        (PermissionError(13, "Not allowed", "a.bin"), 1, "error: a.bin: Not allowed"),
        (MemoryError("9 bytes needed"), 1, "error: 9 bytes needed"),
        (SystemExit("no such key"), 1, "error: no such key"),
        (KeyboardInterrupt(), 130, "interrupted, nothing was kept"),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, BaseException) else "",
)
"""What a program may raise, its exit code, and the line after its name on standard error."""


def raising(error: BaseException) -> Callable[..., NoReturn]:
    """A function that takes anything and raises."""

    def fail(*_: object, **__: object) -> NoReturn:
        raise error

    return fail


def check_without_reader(module: str, *arguments: str, cwd: Path | None = None) -> None:
    """Check that a program says nothing if nobody reads what it prints."""
    reader, writer = os.pipe()
    os.close(reader)
    run = partial(
        subprocess.run,
        [sys.executable, "-m", module, *arguments],
        stdin=subprocess.DEVNULL,
        text=True,
        env=ENVIRONMENT,
        cwd=cwd,
        timeout=60,
    )
    only_output = run(stdout=writer, stderr=subprocess.PIPE)
    assert (only_output.returncode, only_output.stderr) == (1, "")
    assert run(stdout=writer, stderr=writer).returncode == 1
    os.close(writer)
