"""The files of the project, and programs and scripts that run in their own interpreters."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[3]


def load_module(path: Path) -> ModuleType:
    """The module of a file that is not part of the package."""
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


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


def printed_by_script(path: str, *options: object, timeout: float = 300, **environment: str) -> str:
    """What a script of the project prints that ends well, whatever its libraries warn of."""
    command = [sys.executable, ROOT / path, *map(str, options)]
    # Networks as small as those of the examples are slower with more threads.
    variables = os.environ | {"OMP_NUM_THREADS": "1"} | environment
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=timeout, env=variables, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    return done.stdout
