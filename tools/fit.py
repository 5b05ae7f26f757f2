"""Fit a network to exact labels: for the champion, for behavior cloning, and to compare settings.

Labels are made once by `SelfPlay` and kept in a file. Positions that are equal to one of the
benchmark, up to symmetry, are not learned.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import torch

from mijnlieff import ChampionPolicy, SelfPlay, Variant, benchmark
from mijnlieff._mijnlieff import MARGIN_UNIT
from mijnlieff.evaluation.canonical import canonical_keys, keys_of_observations
from mijnlieff.train.alphazero.optimizer import Optimizer
from mijnlieff.train.boards import Boards
from mijnlieff.train.config import TrainConfig
from mijnlieff.train.network import TrainableNetwork, masked_log_softmax, new_network
from mijnlieff.train.network.symmetry import SymmetryGroup
from tools.players import BENCHMARK

__all__ = ["GAMES", "fit", "labels", "take_step"]

STANDARD = Variant()
GAMES = 30_000


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
        tested = set(canonical_keys(benchmark(BENCHMARK).positions))
        keys = keys_of_observations(samples.observations, STANDARD.board)
        chosen = np.array([key not in tested for key in keys])
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
    network: TrainableNetwork,
    optimizer: Optimizer,
    batch: Iterable[torch.Tensor],
    rate: float,
    config: TrainConfig,
) -> torch.Tensor:
    """Learn from a batch.

    Args:
        network: learns.
        optimizer: its optimizer.
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
    network.set_gradients(losses.mean(), config.max_grad_norm)
    optimizer.step(rate)
    return losses.detach()


def fit(
    data: dict[str, torch.Tensor], config: TrainConfig, samples: float, minutes: float = math.inf
) -> tuple[TrainableNetwork, int, float]:
    """Return a network that learned from this many samples or for so long, and what it took.

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
    network = new_network(Boards((STANDARD,)), config)
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
