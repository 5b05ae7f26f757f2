"""A policy that runs a tree search for every move, with a network or with random games."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import (
    FULL_MARGIN,
    MARGIN_UNIT,
    SEEDS,
    Canvas,
    Position,
    SearchOptions,
    TreeSearch,
    check_playable,
    integer_in,
    own_actions,
    seed_of,
)
from mijnlieff.errors import PolicyError

__all__ = ["MCTSPolicy", "search_value", "search_with"]

# The most edges (nodes times actions) of all trees that are searched at once.
_EDGES_AT_ONCE = 1 << 24
# With a smaller weight of the margin, rounding could hide a point.
_LEAST_MARGIN_WEIGHT = 1e-3
# Observations, masks and results take about as much memory as this many nodes of a tree.
_NODES_BESIDE_TREE = 16

_Network = Callable[[NDArray[Any], NDArray[np.int8]], Any]


def search_value(values: Any, margin_weight: float) -> Any:
    """Return the values that a search uses, from the two values that a network gives.

    Args:
        values: ``(B, 2)``, a NumPy array or a tensor: expected outcome, and expected margin in
            units of `MARGIN_UNIT` points.
        margin_weight: weight of the margin, as in `TreeSearch`.

    Returns:
        ``(B,)``, an array or a tensor like `values`, between -1 and 1.
    """
    share = (values[:, 1] * (MARGIN_UNIT / FULL_MARGIN)).clip(-1.0, 1.0)
    return (1.0 - margin_weight) * values[:, 0] + margin_weight * share


def search_with(network: _Network, search: TreeSearch) -> None:
    """Run a search to its end.

    Args:
        network: called as ``network(observations, masks)`` for the leaves; it returns logits
            ``(B, num_actions)`` and values ``(B,)`` for the side to move, between -1 and 1.
        search: the search; its results can be read afterwards.

    Raises:
        PolicyError: the network did not return these, or returned NaN.
    """
    while (batch := search.select()) is not None:
        output = network(batch.observation, batch.action_mask)
        if not isinstance(output, tuple) or len(output) != 2:
            raise PolicyError("the network of a tree search must return logits and values")
        search.update(*output)


class MCTSPolicy:
    """A policy that runs a tree search for every decision.

    Without a network, the value of a position is the result of one game of random moves from there,
    and all legal moves get equal prior probability. With one, its values and its policy guide the
    search.

    Args:
        num_simulations: simulations of each search.
        network: called as ``network(observations, masks)``; it returns logits and values, see
            `TreeSearch.update`. None plays random games instead.
        root: ``"puct"`` or ``"gumbel"``, see `TreeSearch`.
        c_puct: weight of the policy relative to the values found, for ``"puct"``.
        seed: decision ``n`` of a policy draws from stream ``n`` of the seed, as with the built-in
            policies.
        observation: the layout of observations for the network; None is ``"flat"``, and
            ``"planes"`` with a canvas.
        margin_weight: weight of the points, against that of the outcome, in the value of a finished
            game, 0 to 1.
        solve_below: positions with at most this many empty cells are solved exactly.
        num_threads: 1 to 1024; None is as many as there are cores.
        canvas: a `Canvas` for positions of several variants at a time; the network is shown planes
            and masks of the canvas and returns logits for its actions. The policy returns actions
            of the position's own variant.

    Raises:
        ValueError: a setting out of range, or a canvas and another layout than planes.
        TypeError: a network that cannot be called, a number that is not an integer, or not a
            canvas.
    """

    def __init__(
        self,
        num_simulations: int,
        network: _Network | None = None,
        *,
        root: Literal["puct", "gumbel"] = "puct",
        c_puct: float = 1.5,
        seed: int = 0,
        observation: Literal["planes", "flat", "packed"] | None = None,
        margin_weight: float = 0.5,
        solve_below: int = 0,
        num_threads: int | None = None,
        canvas: Canvas | None = None,
    ) -> None:
        """Check the settings."""
        if network is not None and not callable(network):
            raise TypeError(
                f"network must be a function of observations and masks, not {network!r}"
            )
        if canvas is not None and not isinstance(canvas, Canvas):
            raise TypeError(f"canvas must be a Canvas or None, not {canvas!r}")
        self.seed = seed_of(seed)
        solve_below = integer_in("solve_below", solve_below, 0, 2**64 - 1)
        self._search_options = SearchOptions(
            num_simulations,
            root,
            c_puct=c_puct,
            temperature=0.0,
            margin_weight=margin_weight,
            solve_roots_below=solve_below,
            solve_leaves_below=solve_below,
        )
        self.num_simulations = self._search_options.num_simulations
        self.network = network
        self._options: dict[str, Any] = {
            "observation": observation,
            "num_threads": num_threads,
            "canvas": canvas,
        }
        self._decisions = 0
        # Raises for settings out of range, but for a canvas that the standard board does not fit.
        canvas_around = (
            None if canvas is None else Canvas(max(canvas.height, 4), max(canvas.width, 4))
        )
        self._search([Position()], canvas=canvas_around)

    def __repr__(self) -> str:
        """Return the settings; a network is shown by its name."""
        network = ""
        if self.network is not None:
            name = getattr(self.network, "__qualname__", type(self.network).__name__)
            network = f", network={name}"
        canvas = self._options["canvas"]
        on_canvas = "" if canvas is None else f", canvas={canvas!r}"
        return (
            f"MCTSPolicy({self.num_simulations}{network}, root={self._search_options.root!r}, "
            f"seed={self.seed}{on_canvas})"
        )

    def act(self, position: Position) -> int:
        """Return the action to play.

        Raises:
            GameOverError: the game is over.
            PolicyError: the network did not return logits and values.
        """
        return int(self.act_batch([position])[0])

    def act_batch(self, positions: Sequence[Position]) -> NDArray[np.int64]:
        """Return the actions to play, int64 ``(B,)``.

        All positions are of one variant, or with a canvas of any that fit.

        At most about 16 million edges (simulations times actions) are searched at once, some 300 MB
        of memory; more positions are searched part by part. The trees, and so the actions, do not
        depend on how the positions are cut.

        Raises:
            GameOverError: a game is over; the message says which. No decision is counted.
            PolicyError: the network did not return logits and values, or returned NaN.
            ValueError: positions of several variants without a canvas.
            VariantError: a board does not fit the canvas.
        """
        actions = np.empty(len(positions), dtype=np.int64)
        if not actions.size:
            return actions
        canvas: Canvas | None = self._options["canvas"]
        check_playable(positions, canvas)
        nodes = self.num_simulations + _NODES_BESIDE_TREE
        shape = positions[0].variant if canvas is None else canvas
        trees = max(1, _EDGES_AT_ONCE // (nodes * shape.num_actions))
        for start in range(0, len(positions), trees):
            part = positions[start : start + trees]
            actions[start : start + len(part)] = self._choose(part)
        return actions

    @property
    def is_deterministic(self) -> bool:
        """Whether equal positions always get the same action, as far as the network does so."""
        return self.network is not None

    @property
    def exact_endings(self) -> tuple[int, int] | None:
        """The most empty cells and the largest margin with which it keeps the exact margin.

        All larger margins have the same value for the search. None if it solves nothing.
        """
        options = self._search_options
        if not options.solve_leaves_below or options.margin_weight < _LEAST_MARGIN_WEIGHT:
            return None
        return options.solve_leaves_below, int(FULL_MARGIN)

    def _choose(self, positions: Sequence[Position]) -> NDArray[np.int64]:
        """Search all positions at once."""
        search = self._search(positions)
        self._decisions += len(positions)
        if self.network is None:
            search.run_with_rollouts()
        else:
            search_with(self.network, search)
        canvas: Canvas | None = self._options["canvas"]
        if canvas is None:
            return search.actions
        return own_actions(positions, search.actions, canvas)

    def _search(self, positions: Sequence[Position], **changed: Any) -> TreeSearch:
        return TreeSearch(
            list(positions),
            self._search_options,
            seed=(self.seed + self._decisions) % SEEDS,
            **{**self._options, **changed},
        )
