"""Reviews: the points that each move of a game gave away, compared with exact play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mijnlieff._mijnlieff import Position, Variant
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
    variant: Variant | None = None,
    *,
    max_seconds: float | None = None,
) -> list[ReviewedMove]:
    """Return each move of a game, finished or not, with the points that it gave away.

    With up to 16 cells and 3 copies this takes seconds at most. Larger boards may take very long;
    give a limit.

    Args:
        actions: the game from its start, as indices or names; passes are included.
        variant: the variant; None is the standard game.
        max_seconds: the most time to search, in seconds; None means no limit.

    >>> from mijnlieff.evaluation import review
    >>> [(move.name, move.loss) for move in review(["a1+", "a3><", "a2+"])]
    [('a1+', 0), ('a3><', 1), ('a2+', 3)]

    Raises:
        IllegalMoveError: an action is illegal; the message says which.
        GameOverError: there are actions after the end of the game.
        ParseError: a name cannot be read.
        SearchLimitError: the limit was reached.
    """
    Position.from_actions(actions, variant)  # the errors of all actions, before any is solved
    position, before, played = Position(variant), [], []
    for action in actions:
        index = position.variant.action_index(action) if isinstance(action, str) else int(action)
        before.append(position)
        played.append(index)
        position = position.play(index)
    if not played:
        return []
    solutions = solve_batch(before, max_seconds=max_seconds)
    return [
        ReviewedMove(
            ply=ply,
            player=position.to_play,
            action=action,
            name=position.variant.action_name(action),
            margin=int(solutions.action_margins[ply, action]),
            best_margin=int(solutions.margins[ply]),
            best_actions=tuple(best.nonzero()[0].tolist()),
        )
        for ply, (position, action, best) in enumerate(
            zip(before, played, solutions.best_mask, strict=True)
        )
    ]
