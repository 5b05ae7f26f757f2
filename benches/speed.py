"""How fast the package is on this machine, each figure beside a reference measured in the same run.

    python -m benches.speed [CASE ...] [--seconds 0.5] [--beside FOLDER [--at-least SHARE]]
    python -m benches.speed tablebase --tablebase FILE

Every line gives units per second, the time of one, and the rate as a multiple of the reference's,
which it names. Work takes turns with what it is compared with. It has parts, such as the steps of
the same recorded games, and of each part only the least time counts, so that other load on the
machine hardly matters. Everything runs on one thread unless a line says more.

With --beside the cases are measured with another build of the package too, in turns. FOLDER is what
PYTHONPATH has to be for it. The exit code is 1 if a rate is below SHARE of the other's.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path

import mijnlieff
from benches import games, networks, searches, tables
from mijnlieff.cli.timing import lines

CASES = {
    "steps": games.steps,
    "sizes": games.sizes,
    "threads": games.threads,
    "opponents": games.opponents,
    "boards": games.boards,
    "mixed": games.mixed,
    "functional": games.functions,
    "search": searches.searches,
    "self-play": searches.self_play,
    "solve": searches.solver,
    "evaluate": networks.champion,
    "network": networks.beside_torch,
    "memory": networks.memory,
    "waiting": networks.waiting,
}
#: They need PyTorch, so they are measured only if they are asked for.
ASKED_FOR = {"network", "memory", "waiting"}
TURNS = 3


def measured_by(folder: str, options: list[str]) -> dict[str, float]:
    """Return the rates that the build of the package in a folder has, by the name of the line."""
    command = [sys.executable, "-m", "benches.speed", *options, "--json"]
    environment = os.environ | {"PYTHONPATH": folder}
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=True)
    rates: dict[str, float] = json.loads(done.stdout)
    return rates


def compare(options: list[str], other: str, at_least: float) -> int:
    """Print the rates of two builds, the best of several turns, and return the exit code."""
    here = str(Path(mijnlieff.__file__).parents[1])
    best: dict[str, dict[str, float]] = {here: {}, other: {}}
    for _ in range(TURNS):
        for folder, rates in best.items():
            for name, rate in measured_by(folder, options).items():
                rates[name] = max(rate, rates.get(name, 0.0))
    print(f"{'a second':<46}{'this build':>14}{'the other':>14}{'share':>8}")
    slow = []
    for name, rate in best[here].items():
        share = best[other][name] / rate
        print(f"{name:<46}{rate:14,.0f}{best[other][name]:14,.0f}{share:8.2f}")
        if share < at_least:
            slow.append(name)
    if slow:
        print(f"\nThe other build has less than {at_least} of the rate in:", *slow, sep="\n  ")
    return 1 if slow else 0


def main() -> int:
    """Measure and print, and return the exit code."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    usual = [name for name in CASES if name not in ASKED_FOR]
    parser.add_argument("cases", nargs="*", metavar="CASE", help=", ".join(CASES))
    parser.add_argument("--seconds", type=float, default=0.5, help="time for each line")
    parser.add_argument("--beside", metavar="FOLDER", help="another build of the package")
    parser.add_argument("--at-least", type=float, default=0.0, metavar="SHARE")
    parser.add_argument("--json", action="store_true", help="print nothing but rates")
    parser.add_argument(
        "--tablebase",
        type=Path,
        metavar="FILE",
        help="of mijnlieff tablebase build, for the case tablebase",
    )
    args = parser.parse_args()
    cases = CASES
    if args.tablebase is not None:
        cases = CASES | {"tablebase": partial(tables.lookups, args.tablebase)}
    if unknown := set(args.cases) - set(cases):
        parser.error(f"unknown case {min(unknown)!r}; choose from {', '.join(cases)}")
    chosen = args.cases or usual
    if args.beside is not None:
        options = [*chosen, "--seconds", str(args.seconds)]
        if args.tablebase is not None:
            options += ["--tablebase", str(args.tablebase)]
        return compare(options, args.beside, args.at_least)
    rates: dict[str, float] = {}
    for name in chosen:
        found = cases[name](args.seconds)
        if args.json:
            rates |= {one.work.name: one.rate for one in found.values()}
            continue
        print(f"\n{name}")
        for line in lines(found):
            print(f"  {line}", flush=True)
    if args.json:
        print(json.dumps(rates))
    return 0


if __name__ == "__main__":
    sys.exit(main())
