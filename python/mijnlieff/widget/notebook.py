"""The board as a Jupyter widget."""

from __future__ import annotations

import asyncio
import threading
from typing import Any, Literal

from mijnlieff._mijnlieff import Position, Tablebase, Variant, as_variant
from mijnlieff._util.extras import needs
from mijnlieff.policies.load import PolicyLike
from mijnlieff.rules import VariantLike
from mijnlieff.widget.art import art
from mijnlieff.widget.static_files import static_file, widget_module
from mijnlieff.widget.table import Table

with needs("the widget", "anywidget", "widget"):
    import anywidget
    import traitlets

__all__ = ["Widget"]

_DEFAULT = "champion:64"
_PAUSE = 0.45


def _notation(position: Position, widget: Any) -> str:
    return position.notation


def _from_notation(text: str, widget: Widget) -> Position:
    return Position.from_notation(text, widget.position.variant)


class Widget(anywidget.AnyWidget):
    """A board to play on in a notebook, against a policy or another person.

    Click a piece, then a cell; the opponent answers. The widget also takes moves back, starts other
    games, shows exact values (on boards of more than 16 cells only of endings), and steps through
    records with their mistakes marked. The opponent and the solver work in threads, so other cells
    can run.

    `position` is a trait: ``widget.observe(f, "position")`` calls ``f`` whenever another position
    is shown, and ``widget.position = p`` starts a game there.

    Args:
        position_or_variant: the first position, or the game to play; None is the standard game.
        opponent: a name or a path for `mijnlieff.load_policy`, or a policy; None is the default.
            Where the champion cannot play, ``"minimax:4"`` stands in for it.
        seat: the side you play: ``"dark"``, which wins the standard game with perfect play;
            ``"light"``, ``"both"`` without an opponent, or ``"drawn"`` for one by chance, which is
            drawn again for each new game.
        seed: the seed of an opponent made from a name, and of drawn seats.
        tablebase: where exact values of its board are looked up, rather than searched.

    Attributes:
        position: the position shown, a trait; the last one unless you step back.

    Raises:
        MissingExtraError: anywidget is not installed.
        ValueError: an unknown opponent or seat, or perfect play on a board of more than 16 cells.
        TypeError: neither a position nor a variant, or neither a name nor a path nor a policy.
    """

    _esm = widget_module()
    _css = static_file("widget.css")

    state = traitlets.Dict().tag(sync=True)
    art = traitlets.Dict().tag(sync=True)
    position = traitlets.Instance(Position).tag(
        sync=True, to_json=_notation, from_json=_from_notation
    )

    def __init__(
        self,
        position_or_variant: Position | VariantLike | None = None,
        opponent: PolicyLike | None = _DEFAULT,
        *,
        seat: Literal["light", "dark", "both", "drawn"] = "dark",
        seed: int = 0,
        tablebase: Tablebase | None = None,
    ) -> None:
        """Set up the game; an opponent that moves first starts to think."""
        start = _start(position_or_variant)
        chosen = _DEFAULT if opponent is None else opponent
        self._table = Table(
            start, chosen, seat, self._publish, pause=_PAUSE, seed=seed, tablebase=tablebase
        )
        self._shown = start
        try:
            self._loop: asyncio.AbstractEventLoop | None = asyncio.get_running_loop()
        except RuntimeError:
            self._loop = None
        self._thread = threading.get_ident()
        super().__init__(state=self._table.state(), art=art(), position=start)
        self.on_msg(self._receive)
        self._table.begin()

    @property
    def actions(self) -> list[int]:
        """The actions of the game so far, also of those after the position shown."""
        return self._table.game.actions

    @property
    def record(self) -> str:
        """The game as a record; only its actions if it did not begin at the start of a game."""
        return self._table.game.record

    def play(self, action: int | str) -> None:
        """Play an action, as a click does.

        Raises:
            IllegalMoveError: the action is illegal, or it is the opponent's turn.
            GameOverError: the game is over.
            ParseError: a text that is not an action.
        """
        self._table.play(action)

    def undo(self) -> bool:
        """Take back everything since your last choice; return False if there is none."""
        return self._table.undo()

    def new_game(
        self,
        position_or_variant: Position | VariantLike | None = None,
        opponent: PolicyLike | None = None,
        *,
        seat: Literal["light", "dark", "both", "drawn"] | None = None,
    ) -> None:
        """Start a new game; arguments that are None stay as they were.

        A seat that was ``"drawn"`` is drawn again.

        Raises:
            ValueError: as in the class. The old game goes on.
            TypeError: as in the class.
        """
        start = None if position_or_variant is None else _start(position_or_variant)
        self._begin(start, seat=seat, opponent=opponent)

    def load(self, record: str, variant: VariantLike | None = None) -> None:
        """Load a game to step through, with its mistakes marked; you play both sides.

        Args:
            record: such as ``"1. a1+, a3><; 2. a2+, a4<>"``.
            variant: its variant; None for the one that is shown.

        Raises:
            ParseError: the text is not a record.
            IllegalMoveError: a move is illegal; the message says which.
        """
        self._table.load(record, variant)

    def show(self, **aids: bool) -> None:
        """Switch ``hints``, ``evaluation`` or ``mistakes`` on or off.

        Raises:
            ValueError: there is no such aid.
        """
        self._table.show(**aids)

    def close(self) -> None:
        """Close the widget, and drop an answer that is still being computed."""
        if "_table" in self.__dict__:  # not if the constructor has failed
            self._table.close()
        super().close()

    def _receive(self, widget: Any, content: object, buffers: object) -> None:
        self._table.handle(content)

    def _publish(self) -> None:
        """Update the traits in the thread of the kernel's event loop, where observers run."""
        if self._loop is None or threading.get_ident() == self._thread:
            self._update()
            return
        try:
            self._loop.call_soon_threadsafe(self._update)
        except RuntimeError:  # the loop was closed with the kernel
            return

    def _update(self) -> None:
        if not hasattr(self, "_table"):
            return
        with self.hold_sync():
            self.state = self._table.state()
            shown = self._table.game.position
            if _identity(shown) != _identity(self._shown):
                self._shown = shown
            self.position = self._shown

    def _begin(self, start: Position | None, **options: Any) -> None:
        """Start a new game; the trait then holds the very object that was given."""
        before = self._shown
        self._shown = before if start is None else start
        try:
            self._table.new_game(start, **options)
        except (TypeError, ValueError):
            self._shown = before
            raise

    @traitlets.validate("position")
    def _check_position(self, proposal: Any) -> Position:
        position: Position = proposal["value"]
        if position is not self._shown:
            self._table.game.check_variant(position.variant)
        return position

    @traitlets.observe("position")
    def _set_position(self, change: Any) -> None:
        if change["new"] is not self._shown:
            self._begin(change["new"])


def _identity(position: Position) -> tuple[Variant, str]:
    """Return all of a position; equal ones may differ in what their future does not depend on."""
    return position.variant, position.notation


def _start(given: Position | VariantLike | None) -> Position:
    if isinstance(given, Position):
        return given
    return Position(as_variant(given, "position_or_variant"))
