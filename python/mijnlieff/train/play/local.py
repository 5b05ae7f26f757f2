"""The games of a run in this process, and the interface of places where runs play."""

from __future__ import annotations

import threading
from concurrent.futures import Executor
from typing import Any, Protocol

import torch

from mijnlieff._mijnlieff import Network, Tablebase
from mijnlieff.self_play import SelfPlay
from mijnlieff.train.boards import Boards
from mijnlieff.train.config import TrainConfig
from mijnlieff.train.network import CellNetwork
from mijnlieff.train.play.samples import SearchGames
from mijnlieff.train.play.search import check_tablebase, play_round, self_play
from mijnlieff.train.play.symmetric_boards import SymmetricBoards
from mijnlieff.train.ppo.rollouts import Experience, RolloutCollector
from mijnlieff.train.process import play_threads
from mijnlieff.train.source import GameSource

__all__ = ["Backend", "LocalBackend", "ThreadedGames"]


class Backend(Protocol):
    """Where a run plays."""

    @property
    def executor(self) -> Executor | None:
        """The workers that play its measurements; None is this process."""
        ...

    def source(
        self, boards: Boards, config: TrainConfig, generator: torch.Generator
    ) -> GameSource[Any]:
        """The source of the games that the algorithm of `config` learns from.

        Args:
            boards: the boards of the run.
            config: the settings.
            generator: the run's generator, for what is drawn on this machine.
        """
        ...


class LocalBackend:
    """Plays everything in this process.

    Args:
        tablebase: where positions are looked up that are solved, rather than searched.
    """

    executor = None

    def __init__(self, tablebase: Tablebase | None = None) -> None:
        """Keep the tablebase."""
        self._tablebase = tablebase

    def source(
        self, boards: Boards, config: TrainConfig, generator: torch.Generator
    ) -> GameSource[Any]:
        """See `Backend.source`.

        Raises:
            ValueError: a tablebase of another game, or for a run that solves nothing.
        """
        check_tablebase(self._tablebase, config, boards)
        if config.algo == "alphazero":
            return ThreadedGames(boards, config, generator, self._tablebase)
        return _Rollouts(boards, config, generator)


class ThreadedGames:
    """Plays rounds with tree search in native code, in a thread, while the learner learns."""

    policy_lag = 0

    def __init__(
        self,
        boards: Boards,
        config: TrainConfig,
        generator: torch.Generator,
        tablebase: Tablebase | None = None,
    ) -> None:
        """Start without a round.

        Args:
            boards: the boards of the run.
            config: its settings.
            generator: draws the seed of each round.
            tablebase: where positions are looked up that are solved.
        """
        self._tablebase = tablebase
        self._boards = boards
        self._symmetric_boards = SymmetricBoards(boards)
        self._config = config
        self._generator = generator
        self._thread: threading.Thread | None = None
        self._games: SelfPlay | None = None
        self._played: SearchGames | BaseException | None = None

    def begin(self, network: CellNetwork, number: int) -> None:
        """Start a round with the network's current weights."""
        seed = int(torch.randint(2**62, (), generator=self._generator))
        native = Network.from_torch(network)
        threads = self._config.play_threads or play_threads(network.device)
        games = self_play(native, self._boards, self._config, seed, self._tablebase, threads)
        self._games = games

        def run() -> None:
            try:
                self._played = play_round(games, self._config, self._symmetric_boards, threads)
            except BaseException as error:  # raised again in the learning thread
                self._played = error

        self._thread = threading.Thread(target=run, name="mijnlieff-self-play")
        self._thread.start()

    def collect(self) -> SearchGames:
        """Wait for the games of the round."""
        assert self._thread is not None  # a round has begun
        self._thread.join()
        self._thread = None
        played, self._played = self._played, None
        if isinstance(played, BaseException):
            raise played
        assert played is not None
        return played

    def close(self) -> None:
        """Stop the games of the round, if one is being played, and wait for their thread."""
        if self._thread is not None and self._games is not None:
            self._games.stop()
            if self._thread.is_alive():  # it may not have started
                self._thread.join()
        self._thread = self._played = None


class _Rollouts:
    """Rounds of PPO, which `collect` plays."""

    policy_lag = 0

    def __init__(self, boards: Boards, config: TrainConfig, generator: torch.Generator) -> None:
        self._games = RolloutCollector(boards.seen[0], config, generator)
        self._network: Network | None = None

    def begin(self, network: CellNetwork, number: int) -> None:
        self._network = Network.from_torch(network)

    def collect(self) -> Experience:
        assert self._network is not None  # a round has begun
        experience: Experience = self._games.play_round(self._network)
        return experience

    def close(self) -> None:
        self._games.close()
