"""Perfect play: exact margins of positions and of every action.

On boards of up to 16 cells every position can be solved. The early positions of the standard game,
up to the fifth stone, are looked up in a book that comes with the package and is loaded when first
needed. What one search finds out is kept in a table that helps the next; there is one table for
each board and number of copies, the four used last are kept.
"""

from __future__ import annotations

import sys
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import (
    DEFAULT_TABLE_BYTES,
    Board,
    Position,
    Solver,
    Variant,
    common_variant,
    integer_in,
)

__all__ = [
    "Solution",
    "SolutionBatch",
    "set_table_bytes",
    "solve",
    "solve_batch",
    "solver_for",
]

_KEPT_SOLVERS = 4

_solvers: OrderedDict[tuple[Board, int], Solver] = OrderedDict()
_lock = threading.Lock()
_table_bytes = DEFAULT_TABLE_BYTES


@dataclass(frozen=True)
class Solution:
    """What perfect play makes of a position.

    Attributes:
        margin: own points minus the opponent's at the end of the game, for the side to move.
        action_margins: the margin after each legal action, for the side to move as well; empty
            when the game is over.
        nodes: positions looked into; 0 when the book knew.
    """

    margin: int
    action_margins: Mapping[int, int]
    nodes: int

    @property
    def outcome(self) -> int:
        """1 when the side to move wins, 0 for a draw, -1 when it loses."""
        return (self.margin > 0) - (self.margin < 0)

    @property
    def best_actions(self) -> list[int]:
        """The actions that keep the margin, ascending."""
        return [action for action, margin in self.action_margins.items() if margin == self.margin]


@dataclass(frozen=True)
class SolutionBatch:
    """What perfect play makes of many positions: labels to train on.

    Attributes:
        margins: int16 ``(B,)``, for the side to move.
        action_margins: int16 ``(B, num_actions)``, for the side to move; the least int16 where the
            action is illegal.
        action_mask: int8 ``(B, num_actions)``: 1 = legal; a row is all 0 when the game is over.
    """

    margins: NDArray[np.int16]
    action_margins: NDArray[np.int16]
    action_mask: NDArray[np.int8]

    def __len__(self) -> int:
        """Return the number of positions."""
        return len(self.margins)

    @property
    def outcomes(self) -> NDArray[np.int8]:
        """int8 ``(B,)``: 1 when the side to move wins, 0 for a draw, -1 when it loses."""
        return np.sign(self.margins).astype(np.int8)

    @property
    def best_mask(self) -> NDArray[np.int8]:
        """int8 ``(B, num_actions)``: 1 for the actions that keep the margin."""
        best = self.action_margins == self.margins[:, None]
        mask: NDArray[np.int8] = best.astype(np.int8) * self.action_mask
        return mask

    @property
    def policy_targets(self) -> NDArray[np.float32]:
        """float32 ``(B, num_actions)``: the best actions, each equally likely."""
        best = self.best_mask.astype(np.float32)
        targets: NDArray[np.float32] = best / np.maximum(best.sum(axis=1, keepdims=True), 1)
        return targets


def solve(
    position: Position, *, max_nodes: int | None = None, max_seconds: float | None = None
) -> Solution:
    """Return the exact margin of a position and of every legal action.

    Any position of a board of up to 16 cells takes seconds at most with up to 3 copies. Larger
    boards may take very long; give a limit. Runs without the GIL and stops on
    Ctrl-C.

    >>> import mijnlieff
    >>> mijnlieff.solve(mijnlieff.Position()).margin  # Dark wins by one point
    -1

    Raises:
        SearchLimitError: a limit was reached; the error holds the bounds proven until then.
        ValueError: `max_nodes` or `max_seconds` is negative, or `max_seconds` is NaN.
        TypeError: `position` is not a `Position`, or `max_nodes` not an integer.
        BookError: the book that comes with the package is damaged.
    """
    if not isinstance(position, Position):
        raise TypeError(f"position must be a Position, not {position!r}")
    solver = solver_for(position.variant)
    margin, actions, margins, nodes = solver.solve(position, max_nodes, max_seconds)
    return Solution(
        margin=margin,
        action_margins=MappingProxyType(dict(zip(actions, margins, strict=True))),
        nodes=nodes,
    )


def solve_batch(
    positions: Sequence[Position],
    num_threads: int | None = None,
    *,
    max_nodes: int | None = None,
    max_seconds: float | None = None,
) -> SolutionBatch:
    """Return the exact margins of many positions of one variant, and of all their actions.

    Runs without the GIL and stops on Ctrl-C.

    Args:
        positions: finished games are allowed; their margin is the result.
        num_threads: 1 to 1024; None is as many as there are cores. The answer does not depend on
            it.
        max_nodes: the most positions each thread may look into.
        max_seconds: the most time; infinity is no limit.

    Raises:
        SearchLimitError: a limit was reached; the error names a position that is not solved and
            holds the bounds proven for it.
        ValueError: no position or several variants, 0 threads, or a limit that is negative or NaN.
        TypeError: an item is not a `Position`, or a number not an integer.
        BookError: the book that comes with the package is damaged.
    """
    solver = solver_for(common_variant(positions))
    arrays = solver.solve_batch(positions, num_threads, max_nodes, max_seconds)
    return SolutionBatch(*arrays)


def set_table_bytes(count: int) -> None:
    """Set the most memory that the table of a solver takes, 64 MiB at first.

    Solvers made before are dropped. A table takes the largest power of two that fits, less for
    boards too small to fill it, and at least 32 MiB with more than 3 copies on 16 cells. For larger
    boards it is about the memory of the map that each search has for itself.

    Raises:
        ValueError: the number is below 1.
        TypeError: it is not an integer.
    """
    global _table_bytes
    table_bytes = integer_in("count", count, 1, sys.maxsize)
    with _lock:
        _table_bytes = table_bytes
        _solvers.clear()


def solver_for(variant: Variant) -> Solver:
    """Return the solver for positions of this variant, whatever its opening rule.

    Raises:
        BookError: the book that comes with the package is damaged.
    """
    key = (variant.board, variant.copies)
    with _lock:
        solver = _solvers.get(key)
        if solver is None:
            book = _book() if key == (Board.standard(), 2) else None
            solver = _solvers[key] = Solver(variant, _table_bytes, book)
            while len(_solvers) > _KEPT_SOLVERS:
                _solvers.popitem(last=False)
        _solvers.move_to_end(key)
        return solver


@cache
def _book() -> bytes:
    return (files("mijnlieff") / "data" / "book.bin").read_bytes()
