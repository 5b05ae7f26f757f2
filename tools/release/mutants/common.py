"""What the tests of changes share: a copy of the tree, notes of what was found, and the table."""

from __future__ import annotations

import json
import resource
import shutil
import subprocess
import tomllib
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from mijnlieff._util.output import text_table
from mijnlieff.evaluation.statistics import share_interval
from tools.pages.numbers import percent

OUTPUT = Path("target/mutants").absolute()
EQUIVALENT = tomllib.loads(Path(__file__).with_name("equivalent.toml").read_text())["change"]
"""Changes that give the same results."""
NOT_COUNTED = ("equivalent", "unviable")
"""What gives the same results, and what does not compile."""
KINDS = ("caught", "timeout", "missed", *NOT_COUNTED)


def copy_tree(tree: Path) -> None:
    """Copy what git knows to a folder, except the core and what is there already."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    for name in subprocess.check_output(command, text=True).split("\0"):
        source, copy = Path(name), tree / name
        if name.startswith("src/") or not source.is_file():
            continue
        if not copy.exists() or copy.read_bytes() != source.read_bytes():
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(source, copy)


def bounds(seconds: int, memory: int) -> Callable[[], None]:
    """Return what bounds a new process: its processor time, and bytes of addresses."""

    def bound() -> None:
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 5))
        resource.setrlimit(resource.RLIMIT_AS, (memory, memory))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    return bound


class Notes:
    """What became of each mutant, by name, in a file of lines."""

    def __init__(self, path: Path) -> None:
        """Read what an earlier call found."""
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
        self.path = path
        self.found = dict(json.loads(line) for line in path.read_text().splitlines())

    def add(self, name: str, kind: str) -> None:
        """Add and print a line."""
        print(f"{kind:9}{name}", flush=True)
        self.found[name] = kind
        with self.path.open("a") as file:
            file.write(json.dumps([name, kind]) + "\n")


def is_equivalent(name: str, line: str) -> bool:
    """Return whether `EQUIVALENT` lists ``PATH:LINE:COLUMN: CHANGE [in FUNCTION]``."""
    path, _, _, change = name.split(":", 3)
    change = change.strip().split(" in ")[0]
    return any(
        it["file"] == path and change in it["changes"] and line.strip() in it["lines"]
        for it in EQUIVALENT
    )


def row(name: str, found: list[str]) -> list[str]:
    """Return a row of the table."""
    counts = Counter(found)
    is_noticed = np.array([it != "missed" for it in found if it not in NOT_COUNTED], bool)
    share = percent(is_noticed.mean(), share_interval(is_noticed))
    return [name, *(str(counts[kind]) for kind in KINDS), share]


def print_table(found: dict[str, str], folders: Sequence[str]) -> int:
    """Print what became of each mutant, by folder, and those that were missed; return 1 if any."""
    rows = [["folder", *KINDS, "noticed"]]
    for folder in folders:
        inside = [kind for name, kind in found.items() if name.startswith(f"{folder}/")]
        if any(kind not in NOT_COUNTED for kind in inside):
            rows.append(row(folder, inside))
    if len(folders) > 1:
        rows.append(row("all", list(found.values())))
    print(text_table(rows))
    missed = [name for name, kind in found.items() if kind == "missed"]
    print(*(f"missed: {name}" for name in missed), sep="\n")
    return int(bool(missed))
