"""The games of a run, played in blocks by the workers of a cluster."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import ray
import torch

from mijnlieff import MatchReport, Variant
from mijnlieff._mijnlieff import integer_in
from mijnlieff.integrations.ray.jobs import (
    Block,
    play_match,
    play_rollouts,
    play_searches,
    weights_of,
)
from mijnlieff.integrations.ray.pool import WorkerPool
from mijnlieff.train.alphazero.replay import Samples
from mijnlieff.train.alphazero.search_play import SearchGames
from mijnlieff.train.config import TrainConfig
from mijnlieff.train.network import BoardNetwork, sizes_of
from mijnlieff.train.ppo.self_play import Experience
from mijnlieff.train.source import GameSource

__all__ = ["MOST_BLOCKS", "RayBackend", "block_seed"]

MOST_BLOCKS = 2**12
"""The most blocks in a round."""

_MOST_GAMES = 2**20
"""More than the games of any block. Game `i` of an environment draws from its seed plus `i`."""

_SEEDS = 2**62


def block_seed(run_seed: int, number: int, block: int) -> int:
    """The seed of a block; no two blocks of a run share the seed of a game.

    Args:
        run_seed: seed of the run.
        number: the rounds before this one.
        block: the block in the round, below `MOST_BLOCKS`.
    """
    start = int(np.random.SeedSequence(run_seed).generate_state(1, np.uint64)[0])
    return (start + (number * MOST_BLOCKS + block) * _MOST_GAMES) % _SEEDS


class RayBackend:
    """Plays games and measurements on the workers of a cluster, see `Backend`.

    Args:
        pool: the workers.
        blocks: blocks in a round.
        lag: rounds that are played ahead of the learner.

    Raises:
        ValueError: a number out of range, or more workers than blocks to play at once.
        TypeError: a number is not an integer.
    """

    def __init__(self, pool: WorkerPool, blocks: int, lag: int) -> None:
        """Check the numbers."""
        self._pool = pool
        self._blocks = integer_in("blocks", blocks, 1, MOST_BLOCKS)
        self._lag = integer_in("lag", lag, 0, 1000)
        at_once = self._blocks * (self._lag + 1)
        if pool.size > at_once:
            raise ValueError(
                f"{pool.size} actors, but at most {at_once} blocks are played at once (blocks "
                f"{self._blocks}, lag {self._lag}): use more blocks or fewer actors"
            )

    def source(
        self, variant: Variant, config: TrainConfig, generator: torch.Generator
    ) -> GameSource[Any]:
        """The games of the run; `generator` is not used, since blocks have their own seeds.

        Raises:
            ValueError: a round has fewer games than blocks.
        """
        if config.num_envs < self._blocks:
            raise ValueError(
                f"a round of num_envs={config.num_envs} games cannot be cut into {self._blocks} "
                "blocks: use fewer blocks or more games"
            )
        return _RaySource(self._pool, variant, config, self._blocks, self._lag)

    def measure(
        self,
        network: BoardNetwork,
        variant: Variant,
        opponents: Sequence[str],
        games: int,
        seed: int,
        progress: bool = False,
        search: TrainConfig | None = None,
        num_simulations: int = 64,
    ) -> list[MatchReport]:
        """Play each match on a worker, before the blocks that wait; shows no progress."""
        weights = ray.put(weights_of(network))
        config = TrainConfig.of("alphazero", **sizes_of(network))
        numbers = [
            self._pool.submit(
                play_match,
                weights,
                variant,
                config,
                opponent,
                games,
                seed,
                search,
                num_simulations,
                first=True,
            )
            for opponent in reversed(opponents)
        ]
        return [self._pool.result(number) for number in reversed(numbers)]


class _RaySource:
    """The blocks of a run, see `GameSource`.

    With a lag of L, the blocks of round r + L are handed out when round r begins. So at most L + 1
    rounds of blocks are at work or wait for the learner. The weights that played a round are L
    rounds older than those that learn from it, and fewer in the first rounds after a start.
    """

    def __init__(
        self, pool: WorkerPool, variant: Variant, config: TrainConfig, blocks: int, lag: int
    ) -> None:
        self._pool = pool
        self._variant = variant
        self._config = config
        self._blocks = blocks
        self._lag = lag
        self._play = play_searches if config.algo == "alphazero" else play_rollouts
        # For each round that has been handed out: its number, that of its weights, and its jobs.
        self._rounds: list[tuple[int, int, list[int]]] = []
        self._lost = pool.lost
        self.staleness = 0
        self.replayed = 0

    def begin(self, network: BoardNetwork, number: int) -> None:
        weights = ray.put(weights_of(network))
        first = self._rounds[-1][0] + 1 if self._rounds else number
        for ahead in range(first, number + self._lag + 1):
            self._rounds.append((ahead, number, self._hand_out(weights, ahead)))
        self._pool.poll()

    def poll(self) -> None:
        self._pool.poll()

    def collect(self) -> Any:
        number, version, jobs = self._rounds.pop(0)
        try:
            parts = [self._pool.result(job) for job in jobs]
        except BaseException:
            self._pool.cancel(jobs)
            raise
        self.staleness = number - version
        self.replayed, self._lost = self._pool.lost - self._lost, self._pool.lost
        return (_searched if self._play is play_searches else _rolled_out)(parts)

    def abandon(self) -> None:
        self.close()

    def close(self) -> None:
        for _, _, jobs in self._rounds:
            self._pool.cancel(jobs)
        self._rounds.clear()

    def _hand_out(self, weights: Any, number: int) -> list[int]:
        games, more = divmod(self._config.num_envs, self._blocks)
        return [
            self._pool.submit(
                self._play,
                weights,
                Block(
                    self._variant,
                    dataclasses.replace(self._config, num_envs=games + (block < more)),
                    block_seed(self._config.seed, number, block),
                ),
            )
            for block in range(self._blocks)
        ]


def _searched(parts: list[SearchGames]) -> SearchGames:
    names = [field.name for field in dataclasses.fields(Samples)]
    # Joining copies the arrays out of Ray's memory, where they cannot be written to.
    arrays = [np.concatenate([getattr(part.samples, name) for part in parts]) for name in names]
    return SearchGames(
        samples=Samples(*arrays),
        steps=sum(part.steps for part in parts),
        games=sum(part.games for part in parts),
        simulations=sum(part.simulations for part in parts),
        evaluations=sum(part.evaluations for part in parts),
        solved=sum(part.solved for part in parts),
        seconds=max(part.seconds for part in parts),
    )


def _rolled_out(parts: list[dict[str, Any]]) -> Experience:
    joined: dict[str, Any] = {}
    for name, value in parts[0].items():
        values = [part[name] for part in parts]
        is_array = isinstance(value, np.ndarray)
        joined[name] = torch.from_numpy(np.concatenate(values)) if is_array else sum(values)
    return Experience(**joined)
