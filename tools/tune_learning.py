"""Compare networks, optimisers, learning rates and widths on exact labels.

    python tools/tune_learning.py --width 384 768 --optimizer adamw muon --rate 2.5e-3 5e-3
    python tools/tune_learning.py --network cells --width 64 96 --rate 5e-3 --minutes 5

All fits learn from the same number of samples, or for the same processor time. Labels are made
once by `SelfPlay` and kept in a file. The networks are graded on the benchmark, without a search;
positions that are equal to one of the benchmark, up to symmetry, are not learnt. Prints a Markdown
table with a row for each fit.
"""

from __future__ import annotations

import argparse
import itertools
import math
import time
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from mijnlieff import ChampionPolicy, SelfPlay, Variant, benchmark, observe_batch
from mijnlieff._mijnlieff import MARGIN_UNIT
from mijnlieff.train.alphazero.optimizer import Optimizer
from mijnlieff.train.config import NETWORKS, PRECISIONS, TrainConfig
from mijnlieff.train.network import BoardNetwork, masked_log_softmax, new_network
from mijnlieff.train.network.symmetry import SymmetryGroup

STANDARD = Variant()
GAMES = 30_000
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


def take_step(
    network: BoardNetwork,
    optimizer: Optimizer,
    batch: Iterable[torch.Tensor],
    rate: float,
    config: TrainConfig,
) -> torch.Tensor:
    """Learn from a batch.

    Args:
        network: learns.
        optimizer: its optimiser.
        batch: observations, masks and policies, and the values as the network gives them.
        rate: the learning rate.
        config: its ``precision`` and ``max_grad_norm`` are used.

    Returns:
        The loss of each position.
    """
    observations, masks, policies, values = batch
    is_mixed = config.precision == "bfloat16" and config.network == "cells"  # as in training
    with torch.autocast("cpu", torch.bfloat16, enabled=is_mixed):
        logits, found = network(network.from_counts(observations))
    logits, found = logits.float(), found.float()
    log_probs = masked_log_softmax(logits, masks.bool())
    losses = -(policies.float() * log_probs).sum(dim=1)
    losses = losses + (found - values).square().sum(dim=1)
    network.zero_grad()
    losses.mean().backward()
    nn.utils.clip_grad_norm_(network.parameters(), config.max_grad_norm)
    optimizer.step(rate)
    return losses.detach()


def fit(
    data: dict[str, torch.Tensor], config: TrainConfig, samples: float, minutes: float = math.inf
) -> tuple[BoardNetwork, int, float]:
    """Return a network that learnt from this many samples or for so long, and what it took.

    Args:
        data: positions with their labels, see `labels`.
        config: the settings; the learning rate falls to a fiftieth.
        samples: the most samples to learn from.
        minutes: the most processor time.

    Returns:
        The network, the number of samples and the processor time in seconds.
    """
    began, seconds, step, size = time.process_time(), 0.0, 0, config.minibatch_size
    generator = torch.Generator().manual_seed(config.seed)
    torch.manual_seed(config.seed)
    network = new_network(STANDARD, config)
    optimizer = Optimizer(network, config)
    group = SymmetryGroup.of(STANDARD)
    turned = torch.from_numpy(group.features), torch.from_numpy(group.actions)
    steps = samples // size if math.isfinite(samples) else math.inf
    while (spent := max(step / steps, seconds / (60 * minutes))) < 1:
        rows = torch.randint(len(data["margins"]), (size,), generator=generator)
        observations, masks, policies, margins = (
            data[name][rows] for name in ("observations", "masks", "policies", "margins")
        )
        if config.network == "cells":  # in a random orientation
            turns = torch.randint(group.order, (size,), generator=generator)
            of_cells, of_actions = (table[turns] for table in turned)
            observations = observations.gather(1, of_cells)
            masks, policies = masks.gather(1, of_actions), policies.gather(1, of_actions)
        values = torch.stack([margins.sign(), margins / MARGIN_UNIT], dim=1)
        rate = config.learning_rate * (1 - 0.98 * spent)
        take_step(network, optimizer, (observations, masks, policies, values), rate, config)
        step += 1
        seconds = time.process_time() - began
    return network, step * size, seconds


@torch.no_grad()
def judge(network: BoardNetwork) -> tuple[float, float]:
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
    parser.add_argument("--network", choices=NETWORKS, nargs="+", default=["symmetric"])
    parser.add_argument("--width", type=int, nargs="+", default=[384])
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
    print(
        "| network | width | blocks | optimiser | rate | seed | samples | optimal | margin rmse "
        "| samples/s |"
    )
    print("|---|---|---|---|---|---|---|---|---|---|")
    for network, width, blocks, optimizer, rate, seed in itertools.product(
        args.network, args.width, args.blocks, args.optimizer, args.rate, args.seed
    ):
        chosen = {"network": network, "width": width, "blocks": blocks, "optimizer": optimizer}
        config = TrainConfig.of(
            "alphazero", **chosen, learning_rate=rate, precision=args.precision, seed=seed
        )
        learnt, samples, seconds = fit(data, config, args.samples, args.minutes)
        optimal, error = judge(learnt)
        print(
            f"| {network} | {width} | {blocks} | {optimizer} | {rate:g} | {seed} | {samples:,} "
            f"| {optimal:.1%} | {error:.2f} | {samples / seconds:,.0f} |",
            flush=True,
        )


if __name__ == "__main__":
    main()
