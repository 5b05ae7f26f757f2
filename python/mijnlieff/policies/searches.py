"""Tree searches before the decisions of a policy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import (
    FULL_MARGIN,
    SEEDS,
    Canvas,
    Position,
    SearchOptions,
    TreeSearch,
)
from mijnlieff._util.arguments import threads_of
from mijnlieff.errors import PolicyError
from mijnlieff.policies.model import Layout

__all__ = [
    "SOLVE_BELOW",
    "Searches",
    "ending_options",
    "play_options",
    "search_with",
]

SOLVE_BELOW = 9
"""A position with more empty cells costs the solver more than a search."""
# The most edges (nodes times actions) of all trees that are searched at once.
_EDGES_AT_ONCE = 1 << 24
# With a smaller weight of the margin, rounding could hide a point.
_LEAST_MARGIN_WEIGHT = 1e-3
# Observations, masks and results take about as much memory as this many nodes of a tree.
_NODES_BESIDE_TREE = 16


def search_with(
    evaluate: Callable[[NDArray[Any], NDArray[np.int8]], Any], search: TreeSearch
) -> None:
    """Run a search to its end.

    Args:
        evaluate: called for the leaves, see `Model.evaluate`; it must give values.
        search: the search; its results can be read afterwards.

    Raises:
        PolicyError: there are no values, or something is not finite.
    """
    while (batch := search.select()) is not None:
        output = evaluate(batch.observation, batch.action_mask)
        if not isinstance(output, tuple) or len(output) != 2:
            raise PolicyError("the network of a tree search must return logits and values")
        search.update(*output)


def play_options(
    search: SearchOptions | SupportsIndex,
    default: Callable[[SupportsIndex], SearchOptions] = SearchOptions,
) -> SearchOptions:
    """Return the options of a search in play, which has no noise and plays its best action.

    Args:
        search: the options, or the number of simulations.
        default: makes the options from a number of simulations.

    Raises:
        ValueError: a number out of range.
        TypeError: neither options nor an integer.
    """
    options = search if isinstance(search, SearchOptions) else default(search)
    return options.replace(temperature=0.0, dirichlet_share=0.0)


def ending_options(
    num_simulations: SupportsIndex, solve_below: int = SOLVE_BELOW, **others: Any
) -> SearchOptions:
    """Return the options of a search that solves positions near the end exactly.

    Args:
        num_simulations: of each search.
        solve_below: the most empty cells of these positions, roots and leaves alike.
        others: options by name.

    Raises:
        ValueError: a number out of range.
        TypeError: a number is not an integer.
    """
    return SearchOptions(
        num_simulations, solve_roots_below=solve_below, solve_leaves_below=solve_below, **others
    )


class Searches:
    """Searches for the decisions of a policy; decision ``n`` draws from stream ``n`` of the seed.

    Args:
        options: of each search.
        seed: of the searches.
        observation: the layout of leaves; None is flat, and planes on a canvas.
        num_threads: 1 to 1024; None is as many as there are cores.

    Attributes:
        options: of each search.
        num_threads: as given.

    Raises:
        ValueError: a number of threads out of range.
        TypeError: the number of threads is not an integer.
    """

    def __init__(
        self,
        options: SearchOptions,
        seed: int,
        observation: Layout | None = None,
        num_threads: SupportsIndex | None = None,
    ) -> None:
        """Check the number of threads."""
        self.options = options
        self._seed = seed
        self._observation = observation
        self.num_threads = threads_of(num_threads)
        self._decisions = 0

    def choose(
        self,
        positions: Sequence[Position],
        canvas: Canvas | None,
        run: Callable[[TreeSearch], object],
        seeds: NDArray[np.uint64] | None = None,
    ) -> NDArray[np.int64]:
        """Return the action of a search for each position, int64 ``(B,)``, of the canvas if given.

        At most about 16 million edges (simulations times actions) are searched at once, some 300 MB
        of memory; more positions are searched part by part. The trees, and so the actions, do not
        depend on how the positions are cut. If `run` raises, no decision is counted.

        Args:
            positions: at least one, none of them over.
            canvas: for positions of several variants, else None.
            run: runs a search to its end.
            seeds: of the decisions, uint64 ``(B,)``, which are then not counted; None is those of
                the next decisions.
        """
        searches = self._run(positions, canvas, run, seeds)
        actions = np.concatenate([search.actions for search in searches])
        if seeds is None:
            self._decisions += len(positions)
        return actions

    def probabilities(
        self,
        positions: Sequence[Position],
        canvas: Canvas | None,
        run: Callable[[TreeSearch], object],
    ) -> NDArray[np.float64]:
        """Return the probability of every action, float64 ``(B, num_actions)``; nothing is counted.

        The best actions of a solved root are equally likely. In any other position an action is
        certain, if `run` draws nothing.

        Args:
            positions: as for `choose`.
            canvas: as for `choose`.
            run: runs a search to its end.
        """
        any_seeds = np.zeros(len(positions), dtype=np.uint64)
        rows = []
        for search in self._run(positions, canvas, run, any_seeds):
            possible = np.eye(search.policy_targets.shape[1], dtype=bool)[search.actions]
            possible[search.solved] = search.policy_targets[search.solved] > 0
            rows.append(possible / possible.sum(axis=1, keepdims=True))
        return np.concatenate(rows)

    def _run(
        self,
        positions: Sequence[Position],
        canvas: Canvas | None,
        run: Callable[[TreeSearch], object],
        seeds: NDArray[np.uint64] | None,
    ) -> Iterator[TreeSearch]:
        """Yield searches of parts of the positions that have been run."""
        nodes = self.options.num_simulations + _NODES_BESIDE_TREE
        shape = positions[0].variant if canvas is None else canvas
        trees = max(1, _EDGES_AT_ONCE // (nodes * shape.num_actions))
        for start in range(0, len(positions), trees):
            search = TreeSearch(
                list(positions[start : start + trees]),
                self.options,
                seed=(self._seed + self._decisions + start) % SEEDS
                if seeds is None
                else seeds[start : start + trees],
                num_threads=self.num_threads,
                observation=self._observation,
                canvas=canvas,
            )
            run(search)
            yield search

    @property
    def exact_endings(self) -> tuple[int, int] | None:
        """The most empty cells and the largest margin with which it keeps the exact margin.

        All larger margins have the same value for the search. None if it solves nothing.
        """
        below = self.options.solve_roots_below
        if not below or self.options.margin_weight < _LEAST_MARGIN_WEIGHT:
            return None
        return below, int(FULL_MARGIN)
