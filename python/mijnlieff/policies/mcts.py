"""A player that searches a tree for every move, with a network or with random games."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import (
    FULL_MARGIN,
    MARGIN_UNIT,
    SEEDS,
    Position,
    TreeSearch,
    integer,
    seed_of,
)
from mijnlieff.errors import PolicyError

__all__ = ["MCTSPolicy", "search_value", "search_with"]

_Network = Callable[[NDArray[Any], NDArray[np.int8]], Any]


def search_value(values: Any, margin_weight: float) -> Any:
    """What a search takes positions to be worth, from the two values that a network gives them.

    Args:
        values: ``(B, 2)``, a NumPy array or a tensor: expected outcome, and expected margin in
            units of `MARGIN_UNIT` points.
        margin_weight: share of the margin, as in `TreeSearch`.

    Returns:
        ``(B,)``, of the same kind, between -1 and 1.
    """
    share = (values[:, 1] * (MARGIN_UNIT / FULL_MARGIN)).clip(-1.0, 1.0)
    return (1.0 - margin_weight) * values[:, 0] + margin_weight * share


def search_with(network: _Network, search: TreeSearch) -> None:
    """Run a search to its end.

    Args:
        network: called as ``network(observations, masks)`` for the leaves; returns logits
            ``(B, num_actions)`` and values ``(B,)`` for the side to move, between -1 and 1.
        search: the search, whose results can be read afterwards.

    Raises:
        PolicyError: the network returned something else, or NaN.
    """
    while (batch := search.select()) is not None:
        output = network(batch.observation, batch.action_mask)
        if not isinstance(output, tuple) or len(output) != 2:
            raise PolicyError("a network that a tree search asks has to return logits and values")
        search.update(*output)


class MCTSPolicy:
    """A policy that searches a tree of the moves ahead for every decision.

    Without a network, the value of a position is what one game of random moves from there pays, and
    all legal moves get equal prior probability. With one, its values and its policy guide the
    search.

    Args:
        num_simulations: of each search.
        network: called as ``network(observations, masks)``, returns logits and values, see
            `TreeSearch.update`; None plays random games instead.
        root: ``"puct"`` or ``"gumbel"``, see `TreeSearch`.
        c_puct: weight of the policy against the values found, for ``"puct"``.
        seed: decision n of a policy draws from stream n of it, as with the built-in policies.
        observation: the layout that the network wants.
        margin_weight: share of the points in what a finished game is worth, 0 to 1.
        solve_below: positions with at most this many empty cells are solved exactly.
        num_threads: 1 to 1024; None is as many as there are cores.

    Raises:
        ValueError: a setting out of range.
        TypeError: a network that cannot be called, or a number that is not an integer.
    """

    def __init__(
        self,
        num_simulations: int,
        network: _Network | None = None,
        *,
        root: Literal["puct", "gumbel"] = "puct",
        c_puct: float = 1.5,
        seed: int = 0,
        observation: Literal["planes", "flat", "packed"] = "flat",
        margin_weight: float = 0.5,
        solve_below: int = 0,
        num_threads: int | None = None,
    ) -> None:
        """Check and keep the settings."""
        if network is not None and not callable(network):
            raise TypeError(
                f"network has to be a function of observations and masks, not {network!r}"
            )
        self.seed = seed_of(seed)
        self.num_simulations = integer("num_simulations", num_simulations)
        self.network = network
        self._options: dict[str, Any] = {
            "root": root,
            "c_puct": c_puct,
            "observation": observation,
            "margin_weight": margin_weight,
            "solve_below": solve_below,
            "num_threads": num_threads,
        }
        self._decisions = 0
        self._search([Position()])  # says now what is out of range

    def __repr__(self) -> str:
        """Return the settings; networks show their name."""
        network = ""
        if self.network is not None:
            name = getattr(self.network, "__qualname__", type(self.network).__name__)
            network = f", network={name}"
        return (
            f"MCTSPolicy({self.num_simulations}{network}, root={self._options['root']!r}, "
            f"seed={self.seed})"
        )

    def act(self, position: Position) -> int:
        """Return the action to play.

        Raises:
            GameOverError: the game is over.
            PolicyError: the network returned something else than logits and values.
        """
        return int(self.act_batch([position])[0])

    def act_batch(self, positions: Sequence[Position]) -> NDArray[np.int64]:
        """Return the actions to play, int64 ``(B,)``; all positions are of one variant.

        Raises:
            GameOverError: a game is over; the message says which.
            PolicyError: the network returned something else than logits and values, or NaN.
            ValueError: positions of several variants.
        """
        if not len(positions):
            return np.empty(0, dtype=np.int64)
        search = self._search(positions)
        self._decisions += len(positions)
        if self.network is None:
            search.run_with_rollouts()
        else:
            search_with(self.network, search)
        return search.actions

    def _search(self, positions: Sequence[Position]) -> TreeSearch:
        return TreeSearch(
            list(positions),
            self.num_simulations,
            seed=(self.seed + self._decisions) % SEEDS,
            temperature=0.0,
            **self._options,
        )
