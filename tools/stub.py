"""Writes the stub of the native module: `python -m tools.stub [--check]`.

Names, types and docstrings are those of the Rust code, which a build with the feature `stub` tells.
Nothing of the stub is written by hand.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.results import ROOT

STUB = ROOT / "python" / "mijnlieff" / "_mijnlieff.pyi"

# What types in signatures of the Rust code are made of.
IMPORTS = """\
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, Self, SupportsFloat, SupportsIndex

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from mijnlieff.rules import VariantLike
"""


def generated() -> str:
    """Return the text of the stub that belongs to the Rust code."""
    with TemporaryDirectory() as folder:
        build = ["--quiet", "--profile=stub", "--features=stub"]
        _run("maturin", "generate-stubs", *build, f"--out={folder}")
        [stub] = Path(folder).rglob(STUB.name)
        docstring, rest = stub.read_text(encoding="utf-8").split("\n\n", 1)
        # PyO3 names the class "self" where it makes the constructor from the fields.
        rest = re.sub(r"def __new__\(\s*self\b", "def __new__(cls", rest)
        stub.write_text(f"{docstring}\n\n{IMPORTS}{rest}", encoding="utf-8")
        # Sorts names, drops unused imports, unquotes types, moves docstrings up to their quotes.
        fixes = ["--select=I,F401,RUF022,UP037,D200,D212", "--fix-only", "--unsafe-fixes"]
        ruff = ["--quiet", "--config", str(ROOT / "pyproject.toml"), str(stub)]
        _run("ruff", "check", *fixes, *ruff)
        _run("ruff", "format", *ruff)
        return stub.read_text(encoding="utf-8")


def _run(tool: str, *arguments: str) -> None:
    """Run a tool of this environment; its errors are shown."""
    subprocess.run([sys.executable, "-m", tool, *arguments], cwd=ROOT, check=True)


def main() -> None:
    """Write the stub, or fail if it is not what would be written."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing, fail if it differs")
    check = parser.parse_args().check
    stub = generated()
    if stub == STUB.read_text(encoding="utf-8"):
        return
    if check:
        raise SystemExit(f"{STUB.name} differs from the Rust code in src/python; run make stub")
    STUB.write_text(stub, encoding="utf-8")


if __name__ == "__main__":
    main()
