"""The games of a run, played in blocks by the workers of an executor."""

from __future__ import annotations

import dataclasses
from concurrent.futures import Executor, Future
from typing import Any

import numpy as np
import torch

from mijnlieff._mijnlieff import Network, Tablebase
from mijnlieff._util.arguments import integer_in
from mijnlieff._util.executors import result_of, shared, submit
from mijnlieff._util.seeds import first_game_seed
from mijnlieff.train.boards import Boards
from mijnlieff.train.config import TrainConfig
from mijnlieff.train.network import CellNetwork
from mijnlieff.train.play.jobs import Block, play_rollouts, play_searches
from mijnlieff.train.play.samples import Samples, SearchGames
from mijnlieff.train.play.search import check_tablebase
from mijnlieff.train.ppo.rollouts import Experience
from mijnlieff.train.source import GameSource

__all__ = ["BLOCKS", "LAG", "MOST_BLOCKS", "ExecutorBackend", "block_seed"]

BLOCKS = 8
"""Blocks in a round, unless the caller gives another number."""

LAG = 1
"""Rounds that are played ahead, unless the caller gives another number."""

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
    start = first_game_seed(run_seed)
    return (start + (number * MOST_BLOCKS + block) * _MOST_GAMES) % _SEEDS


class ExecutorBackend:
    """Plays games and measurements on the workers of an executor, see `Backend`.

    Args:
        executor: the executor, which stays open.
        blocks: blocks in a round.
        lag: rounds that are played ahead of the learner.
        tablebase: where positions are looked up that are solved; the workers open the same file.

    Raises:
        ValueError: a number out of range.
        TypeError: a number is not an integer.
    """

    def __init__(
        self, executor: Executor, blocks: int, lag: int, tablebase: Tablebase | None = None
    ) -> None:
        """Check the numbers."""
        self._tablebase = tablebase
        self.executor = executor
        self._blocks = integer_in("blocks", blocks, 1, MOST_BLOCKS)
        self._lag = integer_in("lag", lag, 0, 1000)

    def source(
        self, boards: Boards, config: TrainConfig, generator: torch.Generator
    ) -> GameSource[Any]:
        """The games of the run; `generator` is not used, since blocks have their own seeds.

        Raises:
            ValueError: a round has fewer games than blocks, or a tablebase of another game, or for
                a run that solves nothing.
        """
        check_tablebase(self._tablebase, config, boards)
        if config.num_envs < self._blocks:
            raise ValueError(
                f"a round of num_envs={config.num_envs} games cannot be cut into {self._blocks} "
                "blocks: use fewer blocks or more games"
            )
        return _ExecutorSource(
            self.executor, boards, config, self._blocks, self._lag, self._tablebase
        )


class _ExecutorSource:
    """The blocks of a run, see `GameSource`.

    With a lag of L, the blocks of round r + L are handed out when round r begins. So at most L + 1
    rounds of blocks are at work or wait for the learner. The weights that played a round are L
    rounds older than those that learn from it, and fewer in the first rounds after a start.
    """

    def __init__(
        self,
        executor: Executor,
        boards: Boards,
        config: TrainConfig,
        blocks: int,
        lag: int,
        tablebase: Tablebase | None,
    ) -> None:
        self._tablebase = tablebase
        self._executor = executor
        self._boards = boards
        self._config = config
        self._blocks = blocks
        self._lag = lag
        self._play = play_searches if config.algo == "alphazero" else play_rollouts
        # For each round that has been handed out: its number, that of its weights, and its jobs.
        self._rounds: list[tuple[int, int, list[Future[Any]]]] = []
        self.policy_lag = 0

    def begin(self, network: CellNetwork, number: int) -> None:
        native = shared(self._executor, Network.from_torch(network))
        first = self._rounds[-1][0] + 1 if self._rounds else number
        for ahead in range(first, number + self._lag + 1):
            self._rounds.append((ahead, number, self._hand_out(native, ahead)))

    def collect(self) -> Any:
        number, version, jobs = self._rounds.pop(0)
        try:
            parts = [result_of(self._executor, job) for job in jobs]
        finally:
            for job in jobs:
                job.cancel()
        self.policy_lag = number - version
        return (_searched if self._play is play_searches else _rolled_out)(parts)

    def close(self) -> None:
        for _, _, jobs in self._rounds:
            for job in jobs:
                job.cancel()
        self._rounds.clear()

    def _hand_out(self, network: Any, number: int) -> list[Future[Any]]:
        games, more = divmod(self._config.num_envs, self._blocks)
        return [
            submit(
                self._executor,
                self._play,
                network,
                Block(
                    self._boards,
                    dataclasses.replace(self._config, num_envs=games + (block < more)),
                    block_seed(self._config.seed, number, block),
                    self._tablebase,
                ),
            )
            for block in range(self._blocks)
        ]


def _searched(parts: list[SearchGames]) -> SearchGames:
    names = [field.name for field in dataclasses.fields(Samples)]
    # Joining copies the arrays, which may lie in memory that cannot be written to, as Ray's.
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
