"""A game from its start to its last action, with the position that is shown."""

from __future__ import annotations

from collections.abc import Sequence

from mijnlieff._mijnlieff import Position, Variant, format_record, parse_record
from mijnlieff.rules import VariantLike

__all__ = ["Line", "must_pass"]


class Line:
    """The positions of a game, one of which is shown.

    Args:
        start: the first position.
        actions: the actions played from there. The last position is shown.

    Raises:
        IllegalMoveError: an action is illegal.
        GameOverError: the game is over before the last action.
    """

    def __init__(self, start: Position, actions: Sequence[int] = ()) -> None:
        """Play the actions."""
        self.positions = [start]
        self.actions: list[int] = []
        self._shown = 0
        for action in actions:
            self.play(action)

    @staticmethod
    def from_record(record: str, variant: VariantLike) -> Line:
        """Return the game of a record, such as ``"1. a1+, a3><; 2. a2+, a4<>"``.

        Raises:
            ParseError: the text is not a record.
            IllegalMoveError: a move is illegal; the message says which.
        """
        return Line(Position(variant), parse_record(record, variant))

    @property
    def variant(self) -> Variant:
        """The variant that is played."""
        return self.start.variant

    @property
    def start(self) -> Position:
        """The first position."""
        return self.positions[0]

    @property
    def last(self) -> Position:
        """The last position, where the game goes on."""
        return self.positions[-1]

    @property
    def shown(self) -> int:
        """How many actions lead to the position that is shown, 0 to ``len(actions)``."""
        return self._shown

    @property
    def position(self) -> Position:
        """The position that is shown."""
        return self.positions[self._shown]

    @property
    def is_live(self) -> bool:
        """Whether the last position is shown."""
        return self._shown == len(self.actions)

    @property
    def record(self) -> str:
        """The game as a record; only its actions if it did not begin at the start of a game."""
        if self.start.ply == 0:
            return format_record(self.actions, self.variant)
        return ", ".join(map(self.variant.action_name, self.actions))

    def play(self, action: int) -> None:
        """Play an action in the last position; the new position is shown if the last one was.

        Raises:
            IllegalMoveError: the action is illegal.
            GameOverError: the game is over.
        """
        was_live = self.is_live
        self.positions.append(self.last.play(action))
        self.actions.append(action)
        if was_live:
            self._shown = len(self.actions)

    def show(self, shown: int) -> None:
        """Show the position after some actions; numbers out of range show the nearest one."""
        self._shown = min(max(shown, 0), len(self.actions))

    def cut(self, length: int) -> None:
        """Take back every action after the first `length`, and show the last position."""
        del self.positions[length + 1 :], self.actions[length:]
        self._shown = len(self.actions)

    def last_choice(self, players: Sequence[int]) -> int | None:
        """Return how many actions came before the last choice of these players.

        Args:
            players: 0 Light, 1 Dark. A forced pass is not a choice.

        Returns:
            The number of actions, or None if none of the players has chosen yet.
        """
        for length in reversed(range(len(self.actions))):
            position = self.positions[length]
            if position.to_play in players and not must_pass(position):
                return length
        return None


def must_pass(position: Position) -> bool:
    """Return whether the side to move can only pass."""
    return bool(position.action_mask()[position.variant.pass_action])
