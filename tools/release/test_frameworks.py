"""Test the package in the frameworks it adapts to, each in its own environment.

    python -m tools.release.test_frameworks [NAME ...]

Frameworks pin versions that clash, so every row of `ENVIRONMENTS` gets a virtual environment, made
by uv in `.venv-frameworks/`. The package itself is not built again, as a .pth file points to the
built tree. A name selects a row, or all rows of a framework. Without names, all rows are tested.
The table at the end has one line for each check; the exit code is 1 if any failed. Needs only the
standard library.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.results import ROOT

FOLDER = ROOT / ".venv-frameworks"
TESTS = Path("tests", "frameworks")
PYTHON_TESTS = Path("tests", "python")
#: Seconds for all tests of one environment. pytest.ini has the limit for one test.
LIMIT = 1800


@dataclass(frozen=True)
class Environment:
    """One row: what to install, and which tests to run there."""

    name: str
    framework: str  # its tests are tests/frameworks/test_{framework}.py, and ..._*.py
    extras: tuple[str, ...]
    shown: tuple[str, ...]  # distributions whose versions the table shows
    pins: tuple[str, ...] = ()  # requirements besides those of the extras
    more_tests: tuple[str, ...] = ()  # in tests/python
    options: tuple[str, ...] = ()  # of `uv pip install`


GYMNASIUM_TESTS = (
    "envs/test_env.py",
    "envs/test_vector.py",
    "envs/test_vector_starts.py",
    "envs/test_vector_processes.py",
    "render/test_render.py",
)


def gymnasium_row(name: str, *pins: str) -> Environment:
    """Return a row of Gymnasium, with the other requirements of its environments' tests."""
    extras = ("render", "pettingzoo")
    return Environment(name, "gymnasium", extras, ("gymnasium",), pins, GYMNASIUM_TESTS)


def pettingzoo_row(name: str, *pins: str) -> Environment:
    """Return a row of PettingZoo, whose tests import a game that draws with pygame."""
    extras, shown = ("pettingzoo", "render"), ("pettingzoo", "gymnasium")
    return Environment(name, "pettingzoo", extras, shown, pins, ("envs/test_pettingzoo.py",))


# The oldest versions are the minimum versions in pyproject.toml. Gymnasium 1.2.1 is the last one
# whose `DictInfoToList` reads masks of infos without asking whether they are there.
ENVIRONMENTS = (
    gymnasium_row("gymnasium-oldest", "gymnasium==1.1.0"),
    gymnasium_row("gymnasium-1.2.1", "gymnasium==1.2.1"),
    gymnasium_row("gymnasium-newest"),
    pettingzoo_row("pettingzoo-oldest", "pettingzoo==1.24.3", "gymnasium==1.1.0"),
    pettingzoo_row("pettingzoo-newest"),
    Environment("sb3", "sb3", ("sb3", "render"), ("stable-baselines3", "sb3-contrib")),
    Environment("torchrl", "torchrl", ("torchrl", "render", "minari"), ("torchrl", "tensordict")),
    Environment("tianshou", "tianshou", ("tianshou",), ("tianshou", "pettingzoo")),
    Environment("rllib", "rllib", ("rllib",), ("ray", "gymnasium")),
    Environment("ray", "ray", ("ray",), ("ray",)),
    Environment(
        "open_spiel",
        "open_spiel",
        ("open-spiel",),
        ("open-spiel", "shimmy"),
        ("shimmy>=2", "pettingzoo"),
    ),
    Environment("jax", "jax", ("jax",), ("jax", "pgx", "mctx"), ("mctx", "optax")),
    Environment("pufferlib", "pufferlib", ("pufferlib",), ("pufferlib-core",)),
    Environment("skrl", "skrl", (), ("skrl", "gymnasium"), ("skrl[torch]>=2,<3",)),
    Environment("agilerl", "agilerl", (), ("agilerl", "gymnasium"), ("agilerl>=2.58,<3", "peft")),
    Environment(
        "trackers",
        "trackers",
        ("tensorboard",),
        ("wandb", "mlflow-skinny", "optuna"),
        ("wandb>=0.20", "mlflow-skinny>=3", "optuna>=4", "pyyaml>=6"),
    ),
    Environment("textarena", "textarena", ("textarena",), ("textarena",)),
    Environment("openenv", "openenv", ("openenv",), ("openenv-core",)),
    Environment("verifiers", "verifiers", ("verifiers",), ("verifiers",)),
    # With pyarrow, so the tests of Parquet files run here, and what Minari needs to record games.
    Environment(
        "minari",
        "minari",
        ("minari",),
        ("minari", "pyarrow"),
        ("minari[create]",),
        ("datasets/test_datasets.py",),
    ),
)


@dataclass(frozen=True)
class Check:
    """One line of the table."""

    environment: str
    versions: str
    python: str
    check: str
    result: str
    seconds: float
    failed: bool


def requirements(environment: Environment) -> list[str]:
    """Return what a row installs: the dependencies of the package and its extras, pytest, pins."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    optional = project["optional-dependencies"]
    pytest = [it for it in optional["test"] if it.startswith("pytest")]
    found = [*project["dependencies"], *pytest]
    waiting = list(environment.extras)
    while waiting:
        for requirement in optional[waiting.pop()]:
            if inner := re.fullmatch(r"mijnlieff\[(.+)\]", requirement):
                waiting += inner[1].split(",")
            else:
                found.append(requirement)
    return [*found, *environment.pins]


def find_uv() -> str:
    """Return the path of uv, which pip installs beside the environments if there is none."""
    if found := shutil.which("uv"):
        return found
    tools = FOLDER / "tools"
    uv = scripts(tools) / ("uv.exe" if os.name == "nt" else "uv")
    if not uv.exists():
        subprocess.run([sys.executable, "-m", "venv", tools], check=True)
        pip = [python_of(tools), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        subprocess.run([*pip, "uv"], check=True)
    return str(uv)


def scripts(folder: Path) -> Path:
    """Return the folder of the programs of a virtual environment."""
    return folder / ("Scripts" if os.name == "nt" else "bin")


def python_of(folder: Path) -> Path:
    """Return the Python of a virtual environment."""
    return scripts(folder) / ("python.exe" if os.name == "nt" else "python")


def install(uv: str, environment: Environment, python: str) -> Path:
    """Make or update the environment of a row, and return its folder.

    Raises:
        subprocess.CalledProcessError: uv cannot make it; its output says why.
        OSError: there is no such Python.
    """
    folder = FOLDER / environment.name
    # Another Python makes the environment again; otherwise uv installs what changed.
    program = "import sys; print(sys.version)"
    wanted = subprocess.check_output([python, "-c", program])
    if (
        not python_of(folder).exists()
        or subprocess.check_output([python_of(folder), "-c", program]) != wanted
    ):
        subprocess.run([uv, "venv", "--quiet", "--clear", "--python", python, folder], check=True)
    # Several rows need PyTorch, which takes gigabytes: links let them share it.
    command = [uv, "pip", "install", "--quiet", "--upgrade", "--exact", "--link-mode", "hardlink"]
    command += [*environment.options, "--python", python_of(folder)]
    subprocess.run([*command, *requirements(environment)], check=True)
    program = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = subprocess.check_output([python_of(folder), "-c", program], text=True).strip()
    Path(packages, "mijnlieff.pth").write_text(f"{ROOT / 'python'}\n", encoding="utf-8")
    return folder


def installed_versions(python: Path, names: tuple[str, ...]) -> tuple[str, str]:
    """Return the versions of distributions as text, and the version of Python."""
    program = (
        "import importlib.metadata, json, platform, sys\n"
        "names = [f'{name} {importlib.metadata.version(name)}' for name in sys.argv[1:]]\n"
        "print(json.dumps([', '.join(names), platform.python_version()]))"
    )
    versions, number = json.loads(subprocess.check_output([python, "-c", program, *names]))
    return versions, number


def run_tests(python: Path, tests: list[Path], report: Path) -> str:
    """Run test files of one folder, with a report as JUnit XML.

    Returns:
        A message about errors other than failed tests, or an empty text.
    """
    command = [python, "-m", "pytest", "-q", "--rootdir", ROOT, f"--junitxml={report}"]
    if tests[0].parent == TESTS:  # those of tests/python have their settings in pyproject.toml
        command += ["-c", TESTS / "pytest.ini"]
    report.unlink(missing_ok=True)
    surroundings = {"MPLBACKEND": "Agg", "SDL_AUDIODRIVER": "dummy", "SDL_VIDEODRIVER": "dummy"}
    try:
        code = subprocess.run(
            [*command, *tests], cwd=ROOT, env=os.environ | surroundings, timeout=LIMIT
        ).returncode
    except subprocess.TimeoutExpired:
        return f"stopped after {LIMIT} s"
    return "" if report.exists() and code in (0, 1) else f"pytest ended with code {code}"


def read_report(report: Path) -> Iterator[tuple[str, str, float, bool]]:
    """Yield name, result, seconds and failure of each test, its parameters taken together.

    Tests in tests/python, which are not about one framework, are taken together by file.
    """
    groups: dict[str, list[ElementTree.Element]] = {}
    for case in ElementTree.parse(report).getroot().iter("testcase"):
        module, test = case.get("classname", ""), case.get("name", "")
        if not module:  # a file that cannot be imported
            name = f"{test.rpartition('.')[2]} (import)"
        elif module.startswith("tests.frameworks."):
            name = test.partition("[")[0]
        else:
            name = module.rpartition(".")[2]
        groups.setdefault(name, []).append(case)
    for name, cases in groups.items():
        bad = sum(
            case.find("failure") is not None or case.find("error") is not None for case in cases
        )
        skipped = sum(case.find("skipped") is not None for case in cases)
        passed = len(cases) - bad - skipped
        counts = ((bad, "failed"), (passed, "passed"), (skipped, "skipped"))
        result = ", ".join(f"{count} {what}" for count, what in counts if count)
        yield name, result, sum(float(case.get("time", 0)) for case in cases), bool(bad)


def own_tests(environment: Environment) -> list[Path]:
    """Return the test files of a row's framework, first the one that must be there."""
    name = f"test_{environment.framework}"
    others = sorted((ROOT / TESTS).glob(f"{name}_*.py"))
    return [TESTS / f"{name}.py", *(path.relative_to(ROOT) for path in others)]


def check(uv: str, environment: Environment, python: str) -> list[Check]:
    """Install and test one row. Any error becomes a failed line."""
    own = own_tests(environment)
    more = [PYTHON_TESTS / name for name in environment.more_tests]
    return check_tests(uv, environment, python, own, more)


def check_tests(uv: str, environment: Environment, python: str, *groups: list[Path]) -> list[Check]:
    """Install one row, and run groups of tests there, each in a run of pytest."""
    versions, number = "", ""

    def line(what: str, result: str, seconds: float, failed: bool) -> Check:
        return Check(environment.name, versions, number, what, result, seconds, failed)

    every = [path for group in groups for path in group]
    if missing := [path for path in every if not (ROOT / path).exists()]:
        return [line(path.stem, "missing", 0.0, True) for path in missing]
    begin = time.perf_counter()
    try:
        folder = install(uv, environment, python)
        versions, number = installed_versions(python_of(folder), environment.shown)
    except (OSError, subprocess.CalledProcessError) as error:
        print(error, file=sys.stderr)
        return [line("install", "failed", time.perf_counter() - begin, True)]
    lines = [line("install", "done", time.perf_counter() - begin, False)]
    for tests in filter(None, groups):
        begin, report = time.perf_counter(), folder / "report.xml"
        wrong = run_tests(python_of(folder), tests, report)
        found = list(read_report(report)) if report.exists() else []
        lines += [line(*values) for values in found]
        # A framework that the tests do not find would skip everything.
        if not wrong and not any("passed" in result for _, result, _, _ in found):
            wrong = "no test passed"
        if wrong:
            lines.append(line("pytest", wrong, time.perf_counter() - begin, True))
    return lines


def print_table(lines: list[Check]) -> None:
    """Print the lines with aligned columns; the names of a row stand at its first line only."""
    rows = [("environment", "versions", "Python", "check", "result", "s")]
    last = None
    for it in lines:
        head = ("", "", "") if it.environment == last else (it.environment, it.versions, it.python)
        rows.append((*head, it.check, it.result, f"{it.seconds:.1f}"))
        last = it.environment
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = [text.ljust(width) for text, width in zip(row[:-1], widths, strict=False)]
        print("  ".join([*cells, row[-1].rjust(widths[-1])]))


def choose(names: list[str]) -> list[Environment]:
    """Return the rows with these names or of these frameworks, or all.

    Raises:
        SystemExit: a name that is neither.
    """
    known = {name for it in ENVIRONMENTS for name in (it.name, it.framework)}
    if unknown := sorted(set(names) - known):
        raise SystemExit(f"unknown framework {unknown[0]!r}; choose {', '.join(sorted(known))}")
    return [it for it in ENVIRONMENTS if not names or {it.name, it.framework} & set(names)]


def main() -> int:
    """Test the chosen rows and print the table."""
    parser = argparse.ArgumentParser(description="Test the package in other frameworks.")
    parser.add_argument(
        "names", nargs="*", metavar="NAME", help="frameworks or rows (default: all)"
    )
    parser.add_argument("--python", default=sys.executable, help="the Python of the environments")
    arguments = parser.parse_args()
    chosen = choose(arguments.names)
    if not list((ROOT / "python" / "mijnlieff").glob("_mijnlieff*.*[dos]")):
        raise SystemExit("the package is not built; run make test-frameworks")
    uv = find_uv()
    lines: list[Check] = []
    for environment in chosen:
        print(f"== {environment.name}", flush=True)
        lines += check(uv, environment, arguments.python)
    print()
    print_table(lines)
    failed = sum(it.failed for it in lines)
    print(
        f"\n{failed} of {len(lines)} lines failed" if failed else f"\nall {len(lines)} lines passed"
    )
    return int(failed > 0)


if __name__ == "__main__":
    sys.exit(main())
