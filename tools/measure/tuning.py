"""Compare settings of training in short runs, with several seeds.

    python -m tools.measure.tuning exact reuse=2 replay_positions=100000 --minutes 12
    python -m tools.measure.tuning pure num_simulations=32,reuse=4 --jobs 2

The first argument names one of the modes of docs/training.md, the others settings of `TrainConfig`
to change in it; a comma joins settings that are changed together. The mode without a change is
always among the runs. With ``--jobs`` several runs are made at once, each on its share of the
cores, and with ``--tablebase`` exact labels are looked up in that file. Finished runs (in
``runs/tuning``, or ``runs/tuning/tablebase`` with such labels) are not repeated and unfinished ones
are resumed. Grades are made on the benchmark: the network alone, and a search that solves nothing.
Prints a Markdown table: the mean of the seeds, and the least and the greatest value.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import queue
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from mijnlieff import grade
from mijnlieff._util.output import markdown_table
from mijnlieff.cli.options import add_tablebase_argument
from mijnlieff.train import TrainConfig
from mijnlieff.train.run.folder import RunFolder
from tools.measure.runs import Training
from tools.measure.training_measures import player_of
from tools.pages.numbers import percents, spread
from tools.players import BENCHMARK, GRADED, MODES, SIMULATIONS
from tools.results import read_results, write_results


def parse_changes(text: str) -> tuple[str, ...]:
    """Return the settings of one argument.

    Raises:
        argparse.ArgumentTypeError: it is not of the form ``name=value`` or names no setting.
    """
    known = TrainConfig.__dataclass_fields__
    changes = tuple(text.split(","))
    for change in changes:
        name, equals, value = change.partition("=")
        if name not in known or not equals or not value:
            raise argparse.ArgumentTypeError(
                f"{change!r} must be name=value, with one of the names {', '.join(known)}"
            )
    return changes


def shares_of_cores(jobs: int) -> list[set[int]]:
    """Return the cores of each job, as many for each; no sets where cores cannot be chosen."""
    if not hasattr(os, "sched_getaffinity"):
        return [set()] * jobs
    cores = sorted(os.sched_getaffinity(0))
    each = max(1, len(cores) // jobs)
    return [{cores[(job * each + i) % len(cores)] for i in range(each)} for job in range(jobs)]


def result(training: Training) -> dict[str, Any]:
    """Make a run and return its grades and what it learned from, cached in its folder."""
    log_file = training.root / f"{training.folder.name}.log"
    with log_file.open("a", encoding="utf-8") as output:
        training.make(points=1, final_games=2, output=output)
    kept = training.folder / "tuned.json"
    if not kept.exists():
        log = RunFolder(training.folder).read_log()
        players = {name: player_of(training.folder, name) for name in GRADED}
        content = {
            "games": log[-1]["games"],
            "samples": sum(row["samples"] for row in log[:-1]) * training.config["reuse"],
        }
        content |= {name: grade(it, BENCHMARK).total.optimal for name, it in players.items()}
        write_results(kept, content)
    return read_results(kept)


def results(trainings: Sequence[Training], jobs: int) -> list[dict[str, Any]]:
    """Make all runs, some of them at once."""
    cores: queue.SimpleQueue[set[int]] = queue.SimpleQueue()
    for share in shares_of_cores(jobs):
        cores.put(share)

    def choose_cores() -> None:
        if share := cores.get():
            os.sched_setaffinity(0, share)  # of this thread and of the processes it starts

    with ThreadPoolExecutor(jobs, initializer=choose_cores) as pool:
        waiting = [pool.submit(result, training) for training in trainings]
        try:
            found = []
            for training, one in zip(trainings, waiting, strict=True):
                found.append(one.result())
                print(training.folder.name, json.dumps(found[-1]), flush=True)
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise
    return found


def rows(
    trainings: Sequence[Training], found: Sequence[dict[str, Any]], seeds: int
) -> list[list[str]]:
    """Return the rows of the table: runs that differ in the seed alone share one."""
    cells = []
    for start in range(0, len(trainings), seeds):
        group = found[start : start + seeds]
        changes = ", ".join(f"`{change}`" for change in trainings[start].changes) or "none"
        cells.append(
            [
                changes,
                spread([one["games"] for one in group], ",.0f"),
                spread([one["samples"] / 1e6 for one in group], ".2f"),
                *(percents([one[name] for one in group]) for name in GRADED),
            ]
        )
    return cells


def main() -> None:
    """Make the runs and print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("mode", choices=MODES)
    parser.add_argument("changes", type=parse_changes, nargs="*", metavar="name=value")
    parser.add_argument("--minutes", type=float, default=12.0)
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--jobs", type=int, default=1, help="runs at once")
    parser.add_argument("--runs", type=Path, default=Path("runs/tuning"))
    add_tablebase_argument(parser)
    args = parser.parse_args()
    tablebase = None if args.tablebase is None else args.tablebase.path
    if args.jobs < 1:
        parser.error(f"--jobs must be at least 1, not {args.jobs}")
    # The settings do not tell where labels come from, so the names of the runs do not either.
    root = args.runs if tablebase is None else args.runs / "tablebase"
    root.mkdir(parents=True, exist_ok=True)
    trainings = [
        Training(args.mode, args.minutes, seed, root, changes=changes, tablebase=tablebase)
        for changes, seed in itertools.product([(), *args.changes], args.seeds)
    ]
    found = results(trainings, args.jobs)
    searching = f"{SIMULATIONS} simulations, none solved"
    head = ["change", "games", "million samples", "network alone", searching]
    print(markdown_table(head, rows(trainings, found, len(args.seeds))))


if __name__ == "__main__":
    main()
