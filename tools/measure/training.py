"""Measure both modes of training, for 10 and 60 minutes, with several seeds.

What was measured is kept in ``docs/results/training``, and no run with a file there is repeated.
Unfinished runs (in ``runs/report``) are resumed, so it can be stopped and continued. `tools.pages`
makes the tables and the plot.

With ``--tablebase`` exact labels are looked up in that file, rather than searched.

With ``--device cuda`` the networks learn on a GPU, while all cores play. Before that, it measures
the rates of learning, of evaluations and of searches on the GPU and on the processor, and of packed
observations on the GPU.
"""

from __future__ import annotations

import argparse
import itertools
from pathlib import Path

from mijnlieff.cli.options import add_tablebase_argument
from tools.measure.device import device_measures
from tools.measure.runs import RUNS, Training
from tools.measure.training_measures import measures
from tools.players import DEVICES, MODES
from tools.results import RESULTS, file_name, read_results, write_results


def main() -> None:
    """Train and measure."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, nargs="+", default=[10, 60])
    parser.add_argument("--seeds", type=int, nargs="+", default=[0, 1, 2])
    parser.add_argument("--modes", choices=MODES, nargs="+", default=list(MODES))
    parser.add_argument("--runs", type=Path, default=RUNS)
    parser.add_argument("--positions", type=int, default=6000)
    parser.add_argument("--games", type=int, default=500)
    parser.add_argument("--points", type=int, default=12, help="points of a run on the plot")
    parser.add_argument("--final-games", type=int, default=2000)
    parser.add_argument("--results", type=Path, default=RESULTS / "training")
    parser.add_argument("--device", help="where networks learn, such as cuda")
    add_tablebase_argument(parser)
    args = parser.parse_args()
    tablebase = None if args.tablebase is None else args.tablebase.path
    if args.device is not None:
        kept = args.results / DEVICES / f"{file_name(args.device)}.json"
        if not read_results(kept):
            write_results(kept, device_measures(args.device))
    asked = {"positions": args.positions, "games": args.games}
    for minutes, seed, mode in itertools.product(args.minutes, args.seeds, args.modes):
        training = Training(mode, minutes, seed, args.runs, device=args.device, tablebase=tablebase)
        kept = args.results / f"{training.folder.name}.json"
        content = read_results(kept)
        if content and content["asked"] != asked:
            parser.error(f"{kept} has {content['asked']}, not {asked}; remove it first")
        if not content:
            print(training.folder.name, flush=True)
            training.make(args.points, args.final_games)
            write_results(kept, measures(training, **asked))


if __name__ == "__main__":
    main()
