"""Where the games and the measurements of a run are played."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol

import torch

from mijnlieff._mijnlieff import Network, Variant
from mijnlieff.evaluation import MatchReport
from mijnlieff.train.config import TrainConfig
from mijnlieff.train.network import BoardNetwork, PolicyValueNetwork
from mijnlieff.train.play.measure import measure
from mijnlieff.train.play.samples import SearchGames
from mijnlieff.train.play.search import play_round, self_play
from mijnlieff.train.play.threaded import ThreadedGames
from mijnlieff.train.ppo.rollouts import Experience, RolloutCollector
from mijnlieff.train.source import GameSource, LocalSource

__all__ = ["Backend", "LocalBackend"]


class Backend(Protocol):
    """Makes the source of a run's games, and measures its network."""

    def source(
        self, variant: Variant, config: TrainConfig, generator: torch.Generator
    ) -> GameSource[Any]:
        """The source of the games that the algorithm of `config` learns from.

        Args:
            variant: the game.
            config: the settings.
            generator: the run's generator, for what is drawn on this machine.
        """
        ...

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
        """See `mijnlieff.train.play.measure.measure`."""
        ...


class LocalBackend:
    """Plays everything in this process."""

    measure = staticmethod(measure)

    def source(
        self, variant: Variant, config: TrainConfig, generator: torch.Generator
    ) -> GameSource[Any]:
        """See `Backend.source`."""
        kind = _SearchGames if config.algo == "alphazero" else _Rollouts
        return kind(variant, config, generator)


class _SearchGames(ThreadedGames):
    """Plays rounds with tree search, in native code."""

    def __init__(self, variant: Variant, config: TrainConfig, generator: torch.Generator) -> None:
        super().__init__(generator)
        self._variant = variant
        self._config = config

    def new_round(
        self, network: BoardNetwork, seed: int
    ) -> tuple[Callable[[], SearchGames], Callable[[], None]]:
        native = Network.from_torch(network)
        games = self_play(native, self._variant, self._config, seed)
        return partial(play_round, games, self._config.num_envs), games.stop


class _Rollouts(LocalSource):
    """Plays rounds of PPO; they are played by `collect`, with the weights that learnt last."""

    def __init__(self, variant: Variant, config: TrainConfig, generator: torch.Generator) -> None:
        self._games = RolloutCollector(variant, config, generator)
        self._network: PolicyValueNetwork | None = None

    def begin(self, network: PolicyValueNetwork, number: int) -> None:
        self._network = network

    def collect(self) -> Experience:
        assert self._network is not None  # a round has begun
        experience: Experience = self._games.play_round(self._network)
        return experience

    def abandon(self) -> None:
        pass

    def close(self) -> None:
        self._games.close()
