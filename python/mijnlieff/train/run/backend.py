"""Where the games and the measurements of a run are played."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any, Protocol

import torch

import mijnlieff
from mijnlieff import MatchReport, Variant
from mijnlieff.train.alphazero.search_play import SearchGames, play_round, self_play
from mijnlieff.train.config import TrainConfig
from mijnlieff.train.network import BoardNetwork, PolicyValueNetwork
from mijnlieff.train.network.native import native_network
from mijnlieff.train.ppo.self_play import Experience, SelfPlay
from mijnlieff.train.run.measure import measure
from mijnlieff.train.source import GameSource

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
        """See `mijnlieff.train.run.measure.measure`."""
        ...


class LocalBackend:
    """Plays everything in this process."""

    measure = staticmethod(measure)

    def source(
        self, variant: Variant, config: TrainConfig, generator: torch.Generator
    ) -> GameSource[Any]:
        """See `Backend.source`."""
        kind = _SearchThread if config.algo == "alphazero" else _Rollouts
        return kind(variant, config, generator)


class _LocalSource:
    """The common part of both sources: no work waits to be handed out, and none is lost."""

    staleness = 0
    replayed = 0

    def poll(self) -> None:
        pass

    def close(self) -> None:
        pass


class _SearchThread(_LocalSource):
    """Plays a round with tree search in a thread, in native code."""

    def __init__(self, variant: Variant, config: TrainConfig, generator: torch.Generator) -> None:
        self._variant = variant
        self._config = config
        self._generator = generator
        self._playing: mijnlieff.SelfPlay | None = None
        self._thread: threading.Thread | None = None
        self._played: SearchGames | BaseException | None = None

    def begin(self, network: BoardNetwork, number: int) -> None:
        seed = int(torch.randint(2**62, (), generator=self._generator))
        native = native_network(network, self._variant)
        playing = self._playing = self_play(native, self._variant, self._config, seed)

        def play() -> None:
            try:
                self._played = play_round(playing, self._config.num_envs)
            except BaseException as error:  # raised again in the learning thread
                self._played = error

        self._thread = threading.Thread(target=play, name="mijnlieff-self-play")
        self._thread.start()

    def collect(self) -> SearchGames:
        assert self._thread is not None  # a round has begun
        self._thread.join()
        played, self._played = self._played, None
        if isinstance(played, BaseException):
            raise played
        assert played is not None
        return played

    def abandon(self) -> None:
        assert self._thread is not None and self._playing is not None
        self._playing.stop()
        self._thread.join()


class _Rollouts(_LocalSource):
    """Plays rounds of PPO; they are played by `collect`, with the weights that learnt last."""

    def __init__(self, variant: Variant, config: TrainConfig, generator: torch.Generator) -> None:
        self._games = SelfPlay(variant, config, generator)
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
