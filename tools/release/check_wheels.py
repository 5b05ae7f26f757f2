"""Check built wheels: their size, their platform, and that one wheel fits every Python.

    python tools/release/check_wheels.py dist/*.whl

Needs abi3audit, and auditwheel for manylinux wheels; `make wheel` installs both.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

#: Bytes that a wheel may have. Two fifths of them are the opening book and the champion's network.
MAX_SIZE = 4_000_000

#: The name of every wheel: one for Python 3.11 and all later versions.
NAME = re.compile(r"mijnlieff-[0-9.]+-cp311-abi3-(?P<platform>\w+(\.\w+)*)\.whl")

#: The oldest platform of Linux wheels. Clusters still run glibc 2.17 (CentOS 7).
MANYLINUX = "manylinux_2_17"


def problems(wheel: Path) -> list[str]:
    """Return the problems of a wheel."""
    found = []
    size = wheel.stat().st_size
    if size >= MAX_SIZE:
        found.append(f"it has {size:,} bytes; the limit is {MAX_SIZE:,}")
    name = NAME.fullmatch(wheel.name)
    if name is None:
        found.append(f"its name does not match {NAME.pattern}")
    elif "musllinux" not in name["platform"] and "linux" in name["platform"]:
        found += linux_problems(wheel, name["platform"])
    found += abi3_problems(wheel)
    return found


def linux_problems(wheel: Path, platform: str) -> list[str]:
    """Compare the platform in the name with the libraries that the wheel needs.

    Not for musllinux wheels: auditwheel reads those only on a system with musl.
    """
    report = output("auditwheel", "show", str(wheel))
    tags = re.findall(r'platform tag:\s+"(\w+)"', " ".join(report.split()))
    if not tags:
        return [f"auditwheel finds no platform: {report}"]
    found = [] if MANYLINUX in platform else [f"it is for {platform}, not for {MANYLINUX}"]
    # `auditwheel repair` would add this tag, so there is nothing left to repair if it is there.
    if tags[0] not in platform.split("."):
        found.append(f"auditwheel says that it needs {tags[0]}")
    return found


def abi3_problems(wheel: Path) -> list[str]:
    """Look for symbols that are not in the stable interface of Python 3.11."""
    report = json.loads(output("abi3audit", "--report", str(wheel)))
    [spec] = report["specs"].values()
    objects = spec["wheel"]
    found = [] if objects else ["abi3audit finds no extension module"]
    for shared in objects:
        result = shared["result"]
        if not (result["is_abi3"] and result["is_abi3_baseline_compatible"]):
            found.append(f"{shared['name']}: abi3audit says {result}")
    return found


def output(program: str, *arguments: str) -> str:
    """Return the output of a program installed beside this Python."""
    path = shutil.which(program, path=sysconfig.get_path("scripts"))
    if path is None:
        raise SystemExit(f"{program} is missing: pip install {program}")
    result = subprocess.run([path, *arguments], capture_output=True, text=True, check=False)
    if not result.stdout:
        raise SystemExit(f"{program} failed: {result.stderr}")
    return result.stdout


def main(wheels: list[Path]) -> int:
    """Print a line for each wheel; return 1 if one of them is wrong."""
    if not wheels:
        raise SystemExit("give the wheels to check, such as dist/*.whl")
    failed = False
    for wheel in wheels:
        found = problems(wheel)
        failed |= bool(found)
        print(f"{wheel.name}: {wheel.stat().st_size / 1e6:.2f} MB, {'; '.join(found) or 'good'}")
    return int(failed)


if __name__ == "__main__":
    sys.exit(main([Path(argument) for argument in sys.argv[1:]]))
