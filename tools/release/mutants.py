"""Change the core in small ways, one at a time, and count the changes that the Rust tests notice.

    python -m tools.release.mutants [--sample 12] [--seed 0] [--folder src/game ...]

cargo-mutants makes the changes ("mutants"), in a copy of the tree. From each folder `sample` of
them are drawn by the seed. A mutant is caught when a test fails, or runs several times as long as
without it. Prints a table with 95 % intervals, and those that were missed; their differences and
all logs are in `target/mutants/mutants.out`. A mutant takes one to three minutes on two cores.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np

from mijnlieff.evaluation.statistics import share_interval

OUTPUT = Path("target/mutants")
FOLDERS = (
    "src/game",
    "src/encode",
    "src/search",
    "src/functional",
    "src/vector/step",
    "src/tree_search",
)


def draw(folder: str, sample: int, seed: int) -> list[str]:
    """Return the names of as many mutants in the files of a folder."""
    command = ["cargo", "mutants", "--list", "--json", "--file", f"{folder}/**"]
    listed = json.loads(subprocess.check_output(command, text=True))
    names = sorted(mutant["name"] for mutant in listed)
    return random.Random(f"{seed} {folder}").sample(names, min(sample, len(names)))


def run(names: list[str]) -> None:
    """Test each mutant; what became of it lies in `OUTPUT`."""
    exact = "|".join(re.escape(name) for name in names)
    subprocess.run(
        [
            *("cargo", "mutants", "--no-default-features", "--output", str(OUTPUT)),
            *("--re", f"^({exact})$", "--timeout-multiplier", "4"),
            *("--", "--quiet", "--lib", "--test", "core"),
        ],
        check=False,  # the status is not 0 as soon as a mutant was missed
    )


def outcomes() -> dict[str, str]:
    """Return caught, missed, timeout or unviable for each mutant that was tested."""
    text = (OUTPUT / "mutants.out" / "outcomes.json").read_text()
    return {
        outcome["scenario"]["Mutant"]["name"]: outcome["summary"].removesuffix("Mutant").lower()
        for outcome in json.loads(text)["outcomes"]
        if outcome["scenario"] != "Baseline"
    }


def row(name: str, found: list[str]) -> str:
    """Return a row of the table; what does not compile does not count."""
    counts = Counter(found)
    is_caught = np.array([it != "missed" for it in found if it != "unviable"], bool)
    low, high = share_interval(is_caught)
    share = f"{100 * is_caught.mean():.0f} % ({100 * low:.0f} to {100 * high:.0f})"
    numbers = [f"{counts[kind]:8}" for kind in ("caught", "timeout", "missed", "unviable")]
    return f"{name:16}" + "".join(numbers) + "  " + share


def main() -> int:
    """Draw the mutants, test them, and print the table."""
    parser = argparse.ArgumentParser(description="Count the changes that the Rust tests notice.")
    parser.add_argument("--sample", type=int, default=12, help="mutants of each folder")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--folder", nargs="+", default=FOLDERS, dest="folders")
    arguments = parser.parse_args()
    run([it for name in arguments.folders for it in draw(name, arguments.sample, arguments.seed)])
    found = outcomes()
    print(f"{'folder':18}caught timeout  missed unviable  noticed")
    for folder in arguments.folders:
        inside = [kind for name, kind in found.items() if name.startswith(f"{folder}/")]
        if any(kind != "unviable" for kind in inside):
            print(row(folder, inside))
    print(row("all", list(found.values())))
    missed = [name for name, kind in found.items() if kind == "missed"]
    print(*(f"missed: {name}" for name in missed), sep="\n")
    return int(bool(missed))


if __name__ == "__main__":
    sys.exit(main())
