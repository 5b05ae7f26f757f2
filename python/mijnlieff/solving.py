"""Perfect play: exact margins of positions and of every action.

Every position of a board with up to 16 cells can be solved, and on larger boards every ending with
few empty cells. Early positions of the standard game,
up to the fifth stone, are looked up in a book that comes with the package and is loaded on first
use. A solver keeps the results of its searches in a table, which makes later searches faster. There
is one solver for each board and number of copies, and another one for the opening rule
``corner_straight``; the four used last are kept.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
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
from mijnlieff._util.package_data import package_data
from mijnlieff._util.types import check_type

__all__ = [
    "EXACT_CELLS",
    "EXACT_ENDING",
    "Solution",
    "SolutionBatch",
    "can_solve",
    "set_table_bytes",
    "solve",
    "solve_batch",
    "solver_for",
    "solvers_for",
]

EXACT_CELLS = 16
"""The most cells of a board of which every position can be solved."""

EXACT_ENDING = 14
"""The most empty cells of a position that can be solved on any board."""

_KEPT_SOLVERS = 4

_table_bytes = DEFAULT_TABLE_BYTES


class _Slot:
    """A slot for one solver, which is made on first use."""

    def __init__(self, table_bytes: int) -> None:
        self.lock = threading.Lock()
        self.table_bytes = table_bytes
        self.solver: Solver | None = None


_slots: OrderedDict[tuple[Board, int, bool], _Slot] = OrderedDict()
# Solvers of many variants, by what they depend on and their share of the memory of one table.
_small: dict[tuple[Board, int, bool, int], Solver] = {}
# Held for a moment only. Making a solver can take seconds, so each slot has its own lock for that.
_lock = threading.Lock()


def _renew_locks() -> None:
    """Replace locks that threads held when the process was forked; the child lacks these threads.

    Solvers stay usable: they hold no locks, and their tables are read and written in whole words.
    """
    global _lock
    _lock = threading.Lock()
    for slot in _slots.values():
        slot.lock = threading.Lock()


if hasattr(os, "register_at_fork"):  # not on Windows
    os.register_at_fork(after_in_child=_renew_locks)


@dataclass(frozen=True)
class Solution:
    """The exact value of a position: its margin under perfect play, and that of every action.

    Attributes:
        margin: own points minus the opponent's at the end of the game, for the side to move.
        action_margins: the margin after each legal action, also for the side to move; empty when
            the game is over.
        nodes: positions searched; 0 if the book had the answer.
        to_play: the side to move, 0 Light, 1 Dark.
    """

    margin: int
    action_margins: Mapping[int, int]
    nodes: int
    to_play: int

    @property
    def light_margin(self) -> int:
        """The margin as `Position.margin` counts it: Light's points minus Dark's."""
        return self.margin if self.to_play == 0 else -self.margin

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
    """The exact values of many positions, for example as labels for training.

    Attributes:
        margins: int16 ``(B,)``, for the side to move.
        action_margins: int16 ``(B, num_actions)``, for the side to move; the smallest int16 where
            the action is illegal.
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
    """Return the exact margin of a position and of every legal action, for the side to move.

    Any position of a board of up to 16 cells takes seconds at most with up to 3 copies, and so does
    a position of a larger board with at most 14 empty cells. Others may take very long; give a
    limit. Runs without the GIL and stops on Ctrl-C.

    >>> import mijnlieff
    >>> mijnlieff.solve(mijnlieff.Position()).margin  # Light is to move: Dark wins by one point
    -1

    Raises:
        SearchLimitError: a limit was reached; the error holds the bounds proven so far.
        ValueError: `max_nodes` or `max_seconds` is negative, or `max_seconds` is NaN.
        TypeError: `position` is not a `Position`, or `max_nodes` is not an integer.
        BookError: the book that comes with the package is damaged.
    """
    check_type("position", position, Position)
    solver = solver_for(position.variant)
    margin, actions, margins, nodes = solver.solve(position, max_nodes, max_seconds)
    return Solution(
        margin=margin,
        action_margins=MappingProxyType(dict(zip(actions, margins, strict=True))),
        nodes=nodes,
        to_play=position.to_play,
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
        max_nodes: the most positions each thread may search.
        max_seconds: the most time, in seconds; infinity means no limit.

    Raises:
        SearchLimitError: a limit was reached; the error names a position that was not solved and
            holds the bounds proven for it.
        ValueError: no position or several variants, 0 threads, or a limit that is negative or NaN.
        TypeError: an item is not a `Position`, or a number is not an integer.
        BookError: the book that comes with the package is damaged.
    """
    solver = solver_for(common_variant(positions))
    arrays = solver.solve_batch(positions, num_threads, max_nodes, max_seconds)
    return SolutionBatch(*arrays)


def can_solve(position: Position) -> bool:
    """Return whether an exact answer about a position is within reach.

    That is so on boards of up to `EXACT_CELLS` cells, and on larger ones for endings with at most
    `EXACT_ENDING` empty cells. `solve` tries all other positions too, but may take very long.
    """
    num_cells = position.variant.board.num_cells
    if num_cells <= EXACT_CELLS:
        return True
    return bool(num_cells - np.count_nonzero(position.stones) <= EXACT_ENDING)


def set_table_bytes(count: int) -> None:
    """Set the most memory that the table of a solver may take, in bytes; the default is 64 MiB.

    Existing solvers are dropped. A table takes the largest power of two that fits, less on boards
    too small to fill it, and at least 32 MiB with more than 3 copies on 16 cells. On larger boards
    it limits, roughly, the memory of the map that each search makes.

    The next search makes the table, and raises MemoryError if the system does not have the memory.
    The system hands out the memory only as entries are stored.

    Raises:
        ValueError: the number is below 1.
        TypeError: it is not an integer.
    """
    global _table_bytes
    table_bytes = integer_in("count", count, 1, sys.maxsize)
    with _lock:
        _table_bytes = table_bytes
        _slots.clear()
        _small.clear()


def _key(variant: Variant) -> tuple[Board, int, bool]:
    """Return what a solver depends on.

    Positions know the cells of their opening rule, but not that only a Straight may open.
    """
    return variant.board, variant.copies, variant.opening == "corner_straight"


def solver_for(variant: Variant) -> Solver:
    """Return the solver for positions of this variant.

    Raises:
        BookError: the book that comes with the package is damaged.
    """
    key = _key(variant)
    with _lock:
        slot = _slots.get(key)
        if slot is None:
            slot = _slots[key] = _Slot(_table_bytes)
            while len(_slots) > _KEPT_SOLVERS:
                _slots.popitem(last=False)
        _slots.move_to_end(key)
    if slot.solver is None:
        with slot.lock:
            if slot.solver is None:
                book = _book() if key[:2] == (Board.standard(), 2) else None
                slot.solver = Solver(variant, slot.table_bytes, book)
    return slot.solver


def solvers_for(variants: Sequence[Variant]) -> list[Solver]:
    """Return a solver for each of these variants, of which there may be many.

    A few get the solvers of `solver_for`. More share the memory of one table; solvers of the same
    share of it are kept for the next call.

    Raises:
        BookError: the book that comes with the package is damaged.
    """
    keys = {_key(variant) for variant in variants}
    if len(keys) <= _KEPT_SOLVERS:
        return [solver_for(variant) for variant in variants]
    # A power of two, so that a few variants more or less have the same share.
    share = _table_bytes >> (len(keys) - 1).bit_length()
    found = []
    for variant in variants:
        key = (*_key(variant), share)
        solver = _small.get(key)
        if solver is None:
            solver = Solver.within(variant, share)
            if solver.table_bytes:  # others hold nothing that is worth keeping
                with _lock:
                    if sum(size for *_, size in _small) + share > _table_bytes:
                        _small.clear()
                    solver = _small.setdefault(key, solver)
        found.append(solver)
    return found


@cache
def _book() -> bytes:
    return package_data("book.bin")
