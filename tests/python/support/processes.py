"""Programs that run in interpreters of their own."""

from __future__ import annotations

import os
import subprocess
import sys


def run_python(
    code: str,
    *arguments: object,
    flags: tuple[str, ...] = (),
    timeout: float = 120,
    **environment: str,
) -> subprocess.CompletedProcess[str]:
    """Run a program in a fresh interpreter."""
    command = [sys.executable, *flags, "-c", code, *map(str, arguments)]
    variables = os.environ | environment
    return subprocess.run(command, capture_output=True, text=True, timeout=timeout, env=variables)


def printed_by(code: str, *arguments: object, **options) -> str:
    """What a program prints that ends well and says nothing on standard error."""
    done = run_python(code, *arguments, **options)
    assert (done.returncode, done.stderr) == (0, ""), (done.returncode, done.stderr)
    return done.stdout
