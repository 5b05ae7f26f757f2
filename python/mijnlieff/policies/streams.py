"""Draws of policies that depend on the game and the ply, and on nothing that was drawn before."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import Position

__all__ = ["decision_seeds", "game_keys", "gumbel_noise", "mix"]


def mix(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return numbers that look random, uint64; different ones stay different.

    This is the output function of SplitMix64, after adding its constant.
    """
    mixed = numbers + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))


def game_keys(seed: int, games: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return a number for each game, uint64 ``(B,)``, that differs between seeds of a policy.

    Args:
        seed: the seed of the policy.
        games: the numbers of the games, uint64 ``(B,)``.
    """
    return mix(games ^ mix(np.array([seed], np.uint64)))


def decision_seeds(
    seed: int, positions: Sequence[Position], games: NDArray[np.uint64]
) -> NDArray[np.uint64]:
    """Return a seed for each decision, uint64 ``(B,)``: the same one at the same ply of a game.

    Args:
        seed: the seed of the policy.
        positions: the positions.
        games: the numbers of their games, uint64 ``(B,)``.
    """
    plies = np.array([position.ply for position in positions], np.uint64)
    return mix(game_keys(seed, games) + plies)


def gumbel_noise(seeds: NDArray[np.uint64], count: int) -> NDArray[np.float64]:
    """Return independent draws of the standard Gumbel distribution, float64 ``(B, count)``.

    Args:
        seeds: a seed for each row, uint64 ``(B,)``.
        count: how many draws each has.
    """
    drawn = mix(np.add.outer(mix(seeds), np.arange(count, dtype=np.uint64)))
    uniform = ((drawn >> np.uint64(11)) + 0.5) * 2.0**-53  # never 0 or 1
    noise: NDArray[np.float64] = -np.log(-np.log(uniform))
    return noise
