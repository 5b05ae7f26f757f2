"""Fit a network to exact labels: for the champion, for behavior cloning, and to compare settings.

Labels are made once by `SelfPlay` and kept in a file. Positions that are equal to one of the
benchmark, up to symmetry, are not learned.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from mijnlieff import ChampionPolicy, SelfPlay, Tablebase, Variant, benchmark
from mijnlieff._mijnlieff import MARGIN_UNIT
from mijnlieff._util.files import part_path
from mijnlieff._util.output import progress_bar
from mijnlieff.evaluation.canonical import canonical_keys, keys_of_observations
from mijnlieff.train.alphazero.losses import losses_of
from mijnlieff.train.boards import Boards
from mijnlieff.train.config import TrainConfig
from mijnlieff.train.network import CellNetwork, check_finite, new_network
from mijnlieff.train.network.optimizer import Optimizer
from mijnlieff.train.network.regrets import regrets_of
from mijnlieff.train.play.symmetric_boards import SymmetricBoards
from mijnlieff.train.process import keep_memory
from tools.players import BENCHMARK

__all__ = ["GAMES", "Orientations", "falling", "fit", "labels", "take_step", "values_of"]

STANDARD = Variant()
GAMES = 30_000
#: The arrays of a file of labels.
NAMES = ("observations", "masks", "policies", "regrets", "margins")


#: Games whose positions are compared with the benchmark at once.
GAMES_AT_ONCE = 20_000


def labels(
    path: Path, count: int = GAMES, tablebase: Tablebase | None = None
) -> dict[str, torch.Tensor]:
    """Return the positions of this many games with exact labels, from a file if there is one.

    Args:
        path: the file.
        count: how many games to play if there is none; a file of another number is refused.
        tablebase: where to look exact margins up, rather than search.
    """
    if not path.exists():
        games = SelfPlay(
            ChampionPolicy(),  # no position is searched
            random_plies=10,
            solve_roots_below=11,
            solve_book_roots=True,
            solved_temperature=3.0,
            num_threads=1,
            tablebase=tablebase,
        )
        tested = set(canonical_keys(benchmark(BENCHMARK).positions))
        parts = []
        with progress_bar(count, "games with exact labels") as move_on:
            for done in range(0, count, GAMES_AT_ONCE):
                size = min(GAMES_AT_ONCE, count - done)
                parts.append(_labels_of(games, size, tested))
                move_on(size)
        joined = {name: np.concatenate([part.pop(name) for part in parts]) for name in NAMES}
        with part_path(path).open("wb") as file:  # whole, or not there
            np.savez(file, count=count, **joined)
        part_path(path).replace(path)
    with np.load(path) as arrays:
        if (found := arrays.get("count")) != count:
            raise SystemExit(f"{path} has labels of {found} games, not of {count}: delete it first")
        return {name: torch.from_numpy(arrays[name]) for name in NAMES}


def _labels_of(games: SelfPlay, count: int, tested: set[bytes]) -> dict[str, NDArray[Any]]:
    """Return the solved positions of the next games that are not among the tested ones."""
    samples = games.play(count)
    assert samples.exact.all()
    keys = keys_of_observations(samples.observations, STANDARD.board)
    chosen = np.array([key not in tested for key in keys])
    arrays = (
        samples.observations[chosen],
        samples.action_masks[chosen],
        samples.policy_targets[chosen].astype(np.float16),
        regrets_of(samples.action_margins[chosen]),
        samples.margins[chosen].astype(np.float32),
    )
    return dict(zip(NAMES, arrays, strict=True))


class Orientations:
    """Turns and mirrors positions of the standard board at random."""

    def __init__(self, seed: int) -> None:
        """Compute the symmetries."""
        self._boards = SymmetricBoards(Boards((STANDARD,)))
        self._generator = torch.Generator().manual_seed(seed)

    def draw(self, observations: torch.Tensor, *by_action: torch.Tensor) -> list[torch.Tensor]:
        """Return each position in a random orientation, with its numbers for each action."""
        turns = self._boards.draw_orientations(len(observations), self._generator)
        board = torch.zeros_like(turns)
        return [
            self._boards.observations(board, turns, observations),
            *(self._boards.actions(board, turns, numbers) for numbers in by_action),
        ]


def values_of(margins: torch.Tensor) -> torch.Tensor:
    """Return what a network should expect, float32 ``(B, 2)``: outcome, and margin in its unit."""
    margins = margins.float()
    return torch.stack([margins.sign(), margins / MARGIN_UNIT], dim=1)


def falling(rate: float, spent: float) -> float:
    """Return a learning rate that falls to a fiftieth; `spent` is a share of the steps."""
    return rate * (1 - 0.98 * spent)


def take_step(
    network: CellNetwork,
    optimizer: Optimizer,
    batch: Iterable[torch.Tensor],
    rate: float,
    config: TrainConfig,
) -> torch.Tensor:
    """Learn from a batch.

    Args:
        network: learns.
        optimizer: its optimizer.
        batch: observations, masks, policies and regrets, and the values as the network gives them.
        rate: the learning rate.
        config: its precision, weights of losses and ``max_grad_norm`` are used.

    Returns:
        The loss of each position, without that of regrets.
    """
    observations, masks, policies, regrets, values = batch
    shares = policies.float()  # their sums are not quite 1 with 16 bits
    shares = shares / shares.sum(dim=1, keepdim=True)
    known = observations, masks.bool(), shares, values, regrets
    by_policy, by_value, regret_error = losses_of(network, config.precision, *known)
    by_position = by_policy + config.value_weight * by_value.sum(dim=1)
    loss = by_position.mean() + config.regret_weight * regret_error
    check_finite(network.set_gradients(loss, config.max_grad_norm), loss)
    optimizer.step(rate)
    return by_position.detach()


def fit(
    data: dict[str, torch.Tensor],
    config: TrainConfig,
    samples: float,
    minutes: float = math.inf,
    move_on: Callable[[int], object] = lambda count: None,
) -> tuple[CellNetwork, int, float]:
    """Return a network that learned from this many samples or for so long, and what it took.

    Args:
        data: positions with their labels, see `labels`.
        config: the settings; the learning rate falls to a fiftieth.
        samples: the most samples to learn from.
        minutes: the most processor time.
        move_on: called with the number of samples after each step, such as by a progress bar.

    Returns:
        The network, the number of samples and the processor time in seconds.
    """
    keep_memory()
    began, seconds, step, size = time.process_time(), 0.0, 0, config.minibatch_size
    generator = torch.Generator().manual_seed(config.seed)
    torch.manual_seed(config.seed)
    network = new_network(Boards((STANDARD,)), config)
    optimizer = Optimizer(network, config)
    orientations = Orientations(config.seed)
    steps = max(1, samples // size) if math.isfinite(samples) else math.inf
    while (spent := max(step / steps, seconds / (60 * minutes))) < 1:
        rows = torch.randint(len(data["margins"]), (size,), generator=generator)
        *position, margins = (data[name][rows] for name in NAMES)
        batch = [*orientations.draw(*position), values_of(margins)]
        take_step(network, optimizer, batch, falling(config.learning_rate, spent), config)
        step += 1
        move_on(size)
        seconds = time.process_time() - began
    return network, step * size, seconds
