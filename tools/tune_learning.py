"""Compare optimisers, learning rates and widths on exact labels, for equal numbers of samples.

    python tools/tune_learning.py --width 384 768 --optimizer adamw muon --rate 2.5e-3 5e-3

Labels are made once by `SelfPlay` and kept in a file. The networks are graded on the benchmark,
without a search; positions that are equal to one of the benchmark, up to symmetry, are not learnt.
Prints a Markdown table with a row for each fit.
"""

from __future__ import annotations

import argparse
import itertools
import time
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from mijnlieff import ChampionPolicy, SelfPlay, Variant, benchmark, observe_batch
from mijnlieff._mijnlieff import MARGIN_UNIT
from mijnlieff.train.alphazero.optimizer import Optimizer
from mijnlieff.train.config import TrainConfig
from mijnlieff.train.network import PolicyValueNetwork, masked_log_softmax

STANDARD = Variant()
GAMES = 30_000
MINIBATCH = 1024
BENCHMARK = "standard-v1"


def keys(observations: NDArray[np.uint8]) -> NDArray[np.uint64]:
    """Return numbers that are equal for positions that symmetries make equal.

    Args:
        observations: uint8 ``(B, 56)``, flat.
    """
    cells = STANDARD.board.num_cells
    hands = observations[:, 3 * cells :].astype(np.uint64) @ (3 ** np.arange(8, dtype=np.uint64))
    bits = np.uint64(1) << np.arange(3 * cells, dtype=np.uint64)
    found = []
    for image in STANDARD.board.symmetries:
        moved = np.empty((len(observations), 3, cells), dtype=np.uint64)
        moved[:, :, image] = observations[:, : 3 * cells].reshape(-1, 3, cells)
        found.append(moved.reshape(-1, 3 * cells) @ bits)
    return np.min(found, axis=0) * np.uint64(3**8) ^ hands


def labels(path: Path, count: int = GAMES) -> dict[str, torch.Tensor]:
    """Return the positions of this many games with exact labels, from a file if there is one."""
    if not path.exists():
        games = SelfPlay(
            ChampionPolicy(),  # no position is searched
            random_plies=10,
            solve_roots_below=11,
            solve_book_roots=True,
            solved_temperature=3.0,
            num_threads=1,
        )
        samples = games.play(count)
        assert samples.exact.all()
        tested = keys(observe_batch(benchmark(BENCHMARK).positions, "flat", "uint8"))
        chosen = ~np.isin(keys(samples.observations), tested)
        np.savez(
            path,
            observations=samples.observations[chosen],
            masks=samples.action_masks[chosen],
            policies=samples.policy_targets[chosen].astype(np.float16),
            margins=samples.margins[chosen].astype(np.float32),
        )
    with np.load(path) as arrays:
        return {name: torch.from_numpy(arrays[name]) for name in arrays.files}


def fit(
    data: dict[str, torch.Tensor], config: TrainConfig, samples: int
) -> tuple[PolicyValueNetwork, float]:
    """Return a network that learnt from this many samples, and the processor time it took."""
    began = time.process_time()
    generator = torch.Generator().manual_seed(config.seed)
    torch.manual_seed(config.seed)
    network = PolicyValueNetwork(STANDARD, config.width, config.blocks)
    optimizer = Optimizer(network, config)
    steps = samples // MINIBATCH
    for step in range(steps):
        rows = torch.randint(len(data["margins"]), (MINIBATCH,), generator=generator)
        logits, values = network(network.from_counts(data["observations"][rows]))
        log_probs = masked_log_softmax(logits, data["masks"][rows].bool())
        margins = data["margins"][rows]
        targets = torch.stack([margins.sign(), margins / MARGIN_UNIT], dim=1)
        loss = -(data["policies"][rows].float() * log_probs).sum(dim=1).mean()
        loss = loss + (values - targets).square().mean(dim=0).sum()
        network.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(network.parameters(), config.max_grad_norm)
        optimizer.step(config.learning_rate * (1 - 0.98 * step / steps))
    return network, time.process_time() - began


@torch.no_grad()
def judge(network: PolicyValueNetwork) -> tuple[float, float]:
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
    parser.add_argument("--width", type=int, nargs="+", default=[384])
    parser.add_argument("--optimizer", nargs="+", default=["adamw", "muon"])
    parser.add_argument("--rate", type=float, nargs="+", default=[2e-3, 5e-3])
    parser.add_argument("--seed", type=int, nargs="+", default=[0, 1])
    parser.add_argument("--samples", type=int, default=600_000)
    parser.add_argument("--labels", type=Path, default=Path("runs/labels.npz"))
    args = parser.parse_args()
    torch.set_num_threads(1)
    args.labels.parent.mkdir(parents=True, exist_ok=True)
    data = labels(args.labels)
    print(f"{len(data['margins']):,} labels, {args.samples:,} samples a fit")
    print("| width | optimiser | rate | seed | optimal | margin rmse | samples/s |")
    print("|---|---|---|---|---|---|---|")
    for width, optimizer, rate, seed in itertools.product(
        args.width, args.optimizer, args.rate, args.seed
    ):
        chosen = {"width": width, "optimizer": optimizer, "learning_rate": rate, "seed": seed}
        network, seconds = fit(data, TrainConfig.of("alphazero", **chosen), args.samples)
        optimal, error = judge(network)
        print(
            f"| {width} | {optimizer} | {rate:g} | {seed} | {optimal:.1%} | {error:.2f} "
            f"| {args.samples / seconds:,.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
