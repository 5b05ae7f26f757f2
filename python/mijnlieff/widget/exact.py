"""Exact values of the positions of a game, and of its mistakes."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable

from mijnlieff._mijnlieff import Position
from mijnlieff.solving import Solution, solve

__all__ = ["Exact", "loss_of"]

_SECONDS = 120.0  # the slowest start of a board with 16 cells and two copies takes 20 s on one core
_KEPT = 1024


def loss_of(solution: Solution, action: int) -> tuple[int, bool]:
    """Return the loss by an action.

    Args:
        solution: the solution of the position where it is played.
        action: a legal action.

    Returns:
        The points lost against the best action, 0 or more, and whether the outcome changes: a win
        that becomes a draw or a loss, or a draw that becomes a loss.
    """
    margin = solution.action_margins[action]
    outcome = (margin > 0) - (margin < 0)
    return solution.margin - margin, outcome < solution.outcome


class Exact:
    """A cache of solutions, which drops the least recently used.

    Not thread-safe: a `Table` holds a lock around its methods. `solve` does not use the cache, so
    it can run without the lock.
    """

    def __init__(self) -> None:
        """Start with an empty cache."""
        self._found: OrderedDict[Position, Solution | None] = OrderedDict()

    def get(self, position: Position) -> Solution | None:
        """Return the solution of a position; None if it is not known."""
        if position in self._found:
            self._found.move_to_end(position)
        return self._found.get(position)

    def missing(self, positions: Iterable[Position]) -> Position | None:
        """Return the first position that can be solved and was not tried yet, if there is one."""
        waiting = (it for it in positions if not it.is_over and it not in self._found)
        return next((position for position in waiting if position.is_solvable), None)

    def keep(self, position: Position, solution: Solution | None) -> None:
        """Remember the solution of a position; None if it could not be solved."""
        self._found[position] = solution
        if len(self._found) > _KEPT:
            self._found.popitem(last=False)

    @staticmethod
    def solve(position: Position) -> Solution:
        """Solve a position.

        Raises:
            SearchLimitError: it takes longer than two minutes.
        """
        return solve(position, max_seconds=_SECONDS)
