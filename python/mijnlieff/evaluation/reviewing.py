"""Reviews: the points that each move of a game gave away, compared with exact play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from mijnlieff._mijnlieff import Position, Tablebase
from mijnlieff.rules import VariantLike
from mijnlieff.solving import solve_batch

__all__ = ["ReviewedMove", "review"]


@dataclass(frozen=True)
class ReviewedMove:
    """A move and its exact value. Margins are in points, for the player who moved.

    Attributes:
        ply: how many actions came before; 0 for the first move of the game.
        player: the player who moved, 0 Light or 1 Dark.
        action: the action, an index.
        name: the action as in records, such as ``a1+``.
        margin: the margin if both play perfectly after the move.
        best_margin: the margin if both play perfectly from before the move.
        best_actions: the actions that keep `best_margin`, ascending.
    """

    ply: int
    player: int
    action: int
    name: str
    margin: int
    best_margin: int
    best_actions: tuple[int, ...]

    @property
    def loss(self) -> int:
        """The points that the move gave away; 0 for a best move."""
        return self.best_margin - self.margin


def review(
    actions: Sequence[int | str],
    variant: VariantLike | None = None,
    *,
    max_seconds: float | None = None,
    tablebase: Tablebase | None = None,
) -> list[ReviewedMove]:
    """Return the moves of a game, finished or not, with the points that each gave away.

    On boards of up to 16 cells these are all moves, and with up to 3 copies each takes at most some
    20 seconds. On larger boards they are the moves of the ending, from at most 14 empty cells on.

    Args:
        actions: the game from its start, as indices or names; passes are included.
        variant: the variant; None is the standard game.
        max_seconds: the most time to search, in seconds; None means no limit.
        tablebase: where to look exact margins up, rather than search.

    >>> from mijnlieff.evaluation import review
    >>> [(move.name, move.loss) for move in review(["a1+", "a3><", "a2+"])]
    [('a1+', 0), ('a3><', 1), ('a2+', 3)]

    Raises:
        IllegalMoveError: an action is illegal; the message says which.
        GameOverError: there are actions after the end of the game.
        ParseError: a name cannot be read.
        TypeError: not a list of actions; `parse_record` makes one of a record.
        SearchLimitError: the limit was reached.
        ValueError: the tablebase is of another game.
    """
    Position.from_actions(actions, variant)  # the errors of all actions, before any is solved
    start = Position(variant)
    index_of = start.variant.action_index
    played = [index_of(one) if isinstance(one, str) else int(one) for one in actions]
    before = list(accumulate(played, Position.play, initial=start))[:-1]
    # Once a position can be solved, all later ones can.
    first = sum(not position.is_solvable for position in before)
    before, played = before[first:], played[first:]
    if not played:
        return []
    solutions = solve_batch(before, max_seconds=max_seconds, tablebase=tablebase)
    return [
        ReviewedMove(
            ply=first + index,
            player=position.to_play,
            action=action,
            name=position.variant.action_name(action),
            margin=int(solutions.action_margins[index, action]),
            best_margin=int(solutions.margins[index]),
            best_actions=tuple(best.nonzero()[0].tolist()),
        )
        for index, (position, action, best) in enumerate(
            zip(before, played, solutions.best_mask, strict=True)
        )
    ]
