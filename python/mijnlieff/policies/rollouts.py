"""A policy that searches with random games."""

from __future__ import annotations

from collections.abc import Sequence
from typing import SupportsIndex

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import (
    Canvas,
    Position,
    SearchOptions,
    TreeSearch,
    check_playable,
    own_actions,
)
from mijnlieff._util.arguments import seed_of
from mijnlieff.policies.base import ActsInGames, variants_of
from mijnlieff.policies.searches import Searches, play_options
from mijnlieff.policies.streams import decision_seeds

__all__ = ["RolloutPolicy"]


class RolloutPolicy(ActsInGames):
    """Runs a tree search with random games before every decision, without a network.

    The value of a position is the result of one game of random moves from there, and all legal
    moves get equal prior probability. Decision ``n`` draws from stream ``n`` of the seed.

    >>> import mijnlieff
    >>> mijnlieff.load_policy("rollouts:64").act(mijnlieff.Position()) in range(64)
    True

    Args:
        search: the number of simulations, with a root of PUCT; or the `SearchOptions`. It plays the
            best action: ``temperature`` and ``dirichlet_share`` have no effect.
        seed: 0 to 2**64 - 1.
        num_threads: 1 to 1024; None is as many as there are cores.

    Raises:
        ValueError: a number out of range.
        TypeError: a number that is not an integer.
    """

    def __init__(
        self,
        search: SearchOptions | SupportsIndex,
        seed: SupportsIndex = 0,
        *,
        num_threads: SupportsIndex | None = None,
    ) -> None:
        """Check the settings."""
        self.seed = seed_of(seed)
        self.search = play_options(search, _with_puct)
        self._searches = Searches(self.search, self.seed, num_threads=num_threads)

    def __repr__(self) -> str:
        """Return the settings."""
        seed = f", seed={self.seed}" if self.seed else ""
        return f"RolloutPolicy({self.search!r}{seed})"

    def __eq__(self, other: object) -> bool:
        """Whether the other policy has the same settings."""
        if not isinstance(other, RolloutPolicy):
            return NotImplemented
        return (self.search, self.seed) == (other.search, other.seed)

    def __hash__(self) -> int:
        """Return a hash that is equal for equal policies."""
        return hash((self.search, self.seed))

    def act_batch(self, positions: Sequence[Position]) -> NDArray[np.int64]:
        """Return the actions to play, int64 ``(B,)``; positions may be of several variants.

        Runs without the GIL and stops on Ctrl-C.

        Raises:
            GameOverError: a game is over; the message says which. No decision is counted.
        """
        return self._act(positions, None)

    def _act(
        self, positions: Sequence[Position], games: NDArray[np.uint64] | None
    ) -> NDArray[np.int64]:
        if not len(positions):
            return np.empty(0, dtype=np.int64)
        seeds = None if games is None else decision_seeds(self.seed, positions, games)
        variants = list(variants_of(positions))
        # A search of several variants has a canvas, which does not change its trees.
        canvas = Canvas.around(variants) if len(variants) > 1 else None
        check_playable(positions, canvas)
        actions = self._searches.choose(positions, canvas, TreeSearch.run_with_rollouts, seeds)
        return actions if canvas is None else own_actions(positions, actions, canvas)

    @property
    def is_deterministic(self) -> bool:
        """False, as the games are random."""
        return False

    @property
    def exact_endings(self) -> tuple[int, int] | None:
        """Where it keeps the exact margin, see `best_response`; None if it solves nothing."""
        return self._searches.exact_endings


def _with_puct(num_simulations: SupportsIndex) -> SearchOptions:
    return SearchOptions(num_simulations, "puct")
