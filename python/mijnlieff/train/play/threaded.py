"""Plays the games of a round in a thread of this process, while the learner learns."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import torch

from mijnlieff.train.play.samples import SearchGames
from mijnlieff.train.source import LocalSource

__all__ = ["ThreadedGames"]


class ThreadedGames(LocalSource):
    """A `GameSource` whose rounds are played in a thread; subclasses say how, in `new_round`."""

    def __init__(self, generator: torch.Generator) -> None:
        """Start without a round.

        Args:
            generator: draws the seed of each round.
        """
        self._generator = generator
        self._thread: threading.Thread | None = None
        self._stop: Callable[[], None] | None = None
        self._played: SearchGames | BaseException | None = None

    def new_round(
        self, network: Any, seed: int
    ) -> tuple[Callable[[], SearchGames], Callable[[], None]]:
        """Prepare a round.

        Args:
            network: the player; its current weights play the round.
            seed: of everything random in it.

        Returns:
            A function that plays the round, and one that another thread calls to stop it.
        """
        raise NotImplementedError

    def begin(self, network: Any, number: int) -> None:
        """Start a round with the network's current weights."""
        seed = int(torch.randint(2**62, (), generator=self._generator))
        play, self._stop = self.new_round(network, seed)

        def run() -> None:
            try:
                self._played = play()
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

    def abandon(self) -> None:
        """Stop the games of the round, if one is being played, and wait for their thread."""
        if self._thread is not None and self._stop is not None:
            self._stop()
            if self._thread.is_alive():  # it may not have started
                self._thread.join()
        self._thread = self._played = None

    def close(self) -> None:
        """See `abandon`."""
        self.abandon()
