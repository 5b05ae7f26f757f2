"""Where the games that a run learns from are played: in this process, or elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from mijnlieff.train.network import CellNetwork

__all__ = ["GameSource"]

Games = TypeVar("Games", covariant=True)


class GameSource(Protocol[Games]):
    """Plays the games of a run, round by round.

    In every round a learner calls `begin`, learns, and calls `collect`. The games that `collect`
    returns depend on the weights and the seed alone, so runs can be repeated.
    """

    def begin(self, network: CellNetwork, number: int) -> None:
        """Start a round; later training does not change the weights that it is played with.

        Args:
            network: the player of both sides.
            number: the rounds of the run before this one.
        """
        ...

    def collect(self) -> Games:
        """Wait for the games of the round that began last, and return them."""
        ...

    def close(self) -> None:
        """Stop the games of the round, if one has begun, and free what the source holds.

        It may be called more than once: by a learner whose round something ended early, and then by
        the run.
        """
        ...

    @property
    def policy_lag(self) -> int:
        """Rounds learned between the weights that played the last games and the current ones."""
        ...
