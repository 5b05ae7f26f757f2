"""Compare optimizers, learning rates and sizes of networks on exact labels.

    python -m tools.measure.learning --width 64 96 --optimizer adamw muon --rate 2.5e-3 5e-3
    python -m tools.measure.learning --width 96 --blocks 3 --rate 5e-3 --minutes 5

All fits learn from the same number of samples, or for the same processor time. Labels are made
once by `SelfPlay` and kept in a file. The networks are graded on the benchmark, without a search;
positions that are equal to one of the benchmark, up to symmetry, are not learned. Prints a Markdown
table with a row for each fit.
"""

from __future__ import annotations

import argparse
import itertools
import math
from pathlib import Path

import numpy as np
import torch

from mijnlieff import benchmark
from mijnlieff._mijnlieff import MARGIN_UNIT
from mijnlieff._util.output import markdown_table
from mijnlieff.encoding import observe_batch
from mijnlieff.train.config import PRECISIONS, TrainConfig
from mijnlieff.train.network import CellNetwork
from tools.fit import GAMES, fit, labels
from tools.players import BENCHMARK


@torch.no_grad()
def score(network: CellNetwork) -> tuple[float, float]:
    """Return the share of optimal actions on the benchmark, and the error of the margin, points."""
    frozen = benchmark(BENCHMARK)
    logits, values = network(torch.from_numpy(observe_batch(frozen.positions, "flat")))
    legal = frozen.solutions.action_mask == 1
    chosen = np.where(legal, logits.numpy(), -np.inf).argmax(axis=1)
    optimal = frozen.solutions.best_mask[np.arange(len(chosen)), chosen].mean()
    errors = MARGIN_UNIT * values[:, 1].numpy() - frozen.solutions.margins
    return float(optimal), float(np.sqrt(np.square(errors).mean()))


def main() -> None:
    """Fit all combinations."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--width", type=int, nargs="+", default=[64])
    parser.add_argument("--blocks", type=int, nargs="+", default=[2])
    parser.add_argument("--precision", choices=PRECISIONS, default="float32")
    parser.add_argument("--optimizer", nargs="+", default=["adamw", "muon"])
    parser.add_argument("--rate", type=float, nargs="+", default=[2e-3, 5e-3])
    parser.add_argument("--seed", type=int, nargs="+", default=[0, 1])
    parser.add_argument("--samples", type=float, default=math.inf)
    parser.add_argument("--minutes", type=float, default=math.inf, help="of processor time")
    parser.add_argument("--games", type=int, default=GAMES, help="that labels are made from")
    parser.add_argument("--labels", type=Path, default=Path("runs/labels.npz"))
    args = parser.parse_args()
    torch.set_num_threads(1)
    args.labels.parent.mkdir(parents=True, exist_ok=True)
    data = labels(args.labels, args.games)
    if args.samples == args.minutes == math.inf:
        args.samples = 600_000
    print(f"{len(data['margins']):,} labels")
    head = ["width", "blocks", "optimizer", "rate", "seed", "samples", "optimal"]
    print(markdown_table([*head, "margin rmse", "samples/s"], []), end="")
    for width, blocks, optimizer, rate, seed in itertools.product(
        args.width, args.blocks, args.optimizer, args.rate, args.seed
    ):
        chosen = {"width": width, "blocks": blocks, "optimizer": optimizer}
        config = TrainConfig.of(
            "alphazero", **chosen, learning_rate=rate, precision=args.precision, seed=seed
        )
        learned, samples, seconds = fit(data, config, args.samples, args.minutes)
        optimal, error = score(learned)
        print(
            f"| {width} | {blocks} | {optimizer} | {rate:g} | {seed} | {samples:,} "
            f"| {optimal:.1%} | {error:.2f} | {samples / seconds:,.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
