"""Numbers that tell the games of a batch apart, for opponents that must know them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mijnlieff.policies.streams import mix

__all__ = ["GameNumbers"]


@dataclass(frozen=True, eq=False)
class GameNumbers:
    """How many games were played in each place of a batch, and from which seed.

    A game's number is made of both, so the same seed gives the same numbers, whatever the number of
    games in the batch. The object does not change; a step or reset that fails leaves it as it was.

    Attributes:
        seeds: uint64 ``(N,)``.
        played: uint64 ``(N,)``, games that have ended, or were given up, since the seed.
        running: bool ``(N,)``, whether a game has started that has not ended.
    """

    seeds: NDArray[np.uint64]
    played: NDArray[np.uint64]
    running: NDArray[np.bool_]

    @classmethod
    def none_started(cls, num_envs: int) -> GameNumbers:
        """Return the numbers before the first reset."""
        zeros = np.zeros(num_envs, np.uint64)
        return cls(zeros, zeros, np.zeros(num_envs, np.bool_))

    def of(self, games: NDArray[np.int64], restarts: NDArray[np.bool_]) -> NDArray[np.uint64]:
        """Return the numbers of games, uint64 ``(B,)``.

        Args:
            games: their places in the batch.
            restarts: whether they started in the step under way, after another one ended there.
        """
        return mix(mix(self.seeds[games]) + self.played[games] + restarts)

    def after_seed(self, seed: int) -> GameNumbers:
        """Return the numbers after game ``i`` was seeded with ``seed + i``, but not started."""
        count = len(self.seeds)
        seeds = np.arange(count, dtype=np.uint64) + np.uint64(seed)
        return replace(self, seeds=seeds, played=np.zeros(count, np.uint64))

    def after_reset(
        self, seeds: int | Sequence[int | None] | None, mask: Sequence[bool] | None
    ) -> GameNumbers:
        """Return the numbers after a reset with these seeds of the games that the mask selects."""
        count = len(self.seeds)
        starts = np.ones(count, np.bool_) if mask is None else np.array(mask, np.bool_)
        played = self.played + (starts & self.running)
        new_seeds = self.seeds
        if seeds is not None:
            if isinstance(seeds, int):
                seeded = starts
                wanted = np.arange(count, dtype=np.uint64) + np.uint64(seeds)
            else:
                seeded = starts & np.array([seed is not None for seed in seeds], np.bool_)
                wanted = np.array([seed or 0 for seed in seeds], np.uint64)
            new_seeds = np.where(seeded, wanted, new_seeds)
            played = np.where(seeded, np.uint64(0), played)
        return GameNumbers(new_seeds, played, self.running | starts)

    def after_step(
        self, ended: NDArray[np.bool_], *, restart: bool, games: NDArray[np.bool_] | None = None
    ) -> GameNumbers:
        """Return the numbers after a step in which games ended; they may restart in it.

        Args:
            ended: bool ``(N,)``.
            restart: whether games that ended have started again.
            games: bool ``(N,)``, those that were stepped; None is all.
        """
        stepped = np.ones_like(ended) if games is None else games
        return replace(
            self,
            played=self.played + (ended & stepped),
            running=np.where(stepped, ~ended | restart, self.running),
        )
