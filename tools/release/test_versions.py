"""Test the package with the oldest and the newest version of each dependency, on each Python.

    python -m tools.release.test_versions [--python PATH ...] [TEST ...]

For every Python on this machine, uv makes two environments in `.venv-frameworks/`: one with the
oldest versions that pyproject.toml admits and that have a wheel, one with the newest. The package
is not built again, as the native module is the same for all. Without tests, `TESTS` are run.
Prints a table as `tools.release.test_frameworks` does; the exit code is 1 if any line failed.
"""

from __future__ import annotations

import argparse
import subprocess
import sys

from tools.release.test_frameworks import (
    PYTHON_TESTS,
    Check,
    Environment,
    check_tests,
    find_uv,
    print_table,
)

TESTS = ("envs", "hostile", "policies", "render", "rules", "search")
#: The table names those that are not on this machine.
PYTHONS = ("3.11", "3.12", "3.13", "3.14", "3.15")
EXTRAS = ("pettingzoo", "render", "terminal", "plot", "browser", "widget")
SHOWN = ("numpy", "gymnasium", "pettingzoo", "pillow", "pygame-ce", "matplotlib", "tornado")


def find_python(uv: str, wanted: str) -> tuple[str, str] | None:
    """Return the path and the version of a Python on this machine, or None."""
    command = [uv, "python", "find", "--system", "--no-python-downloads", wanted]
    found = subprocess.run(command, capture_output=True, text=True)
    if found.returncode:
        return None
    path = found.stdout.strip()
    program = "import platform; print(platform.python_version())"
    return path, subprocess.check_output([path, "-c", program], text=True).strip()


def rows(version: str) -> list[Environment]:
    """Return the environments of the oldest and the newest versions."""
    ages = {"oldest": "lowest-direct", "newest": "highest"}
    return [
        Environment(
            f"python-{version}-{age}",
            "versions",
            EXTRAS,
            SHOWN,
            options=("--only-binary", ":all:", "--resolution", resolution),
        )
        for age, resolution in ages.items()
    ]


def main() -> int:
    """Test every combination, and print the table."""
    parser = argparse.ArgumentParser(description="Test the package with many versions.")
    parser.add_argument("tests", nargs="*", metavar="TEST", help="files or folders of tests/python")
    parser.add_argument(
        "--python", nargs="+", default=PYTHONS, help="versions or paths (default: all known)"
    )
    arguments = parser.parse_args()
    tests = [PYTHON_TESTS / name for name in arguments.tests or TESTS]
    uv = find_uv()
    lines: list[Check] = []
    for wanted in arguments.python:
        python = find_python(uv, wanted)
        if python is None:
            lines.append(Check(f"python-{wanted}", "", "", "find", "not here", 0.0, False))
            continue
        path, version = python
        for environment in rows(version):
            print(f"== {environment.name}", flush=True)
            lines += check_tests(uv, environment, path, tests)
    print()
    print_table(lines)
    return int(any(it.failed for it in lines))


if __name__ == "__main__":
    sys.exit(main())
