"""A game with its players: the state that the front ends show, and the effect of clicks."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from mijnlieff._mijnlieff import Position, Variant
from mijnlieff.errors import IllegalMoveError
from mijnlieff.policies.base import Policy, act_checked
from mijnlieff.rules import PLAYERS, VariantLike
from mijnlieff.widget.exact import Exact
from mijnlieff.widget.line import Line, must_pass
from mijnlieff.widget.opponents import OPPONENTS, Opponent
from mijnlieff.widget.view import evaluation_of, game_of, marks_of, position_of
from mijnlieff.widget.worker import Worker

__all__ = ["SEATS", "Table"]

SEATS = {"light": (0,), "dark": (1,), "both": (0, 1)}
"""The players that the person controls, by the name of the seat."""
_AIDS = ("hints", "evaluation", "mistakes")


class Table:
    """A game, its players, and the exact values found so far.

    The opponent and the solver work in threads, so every method returns at once. A result that is
    no longer wanted, such as an answer to an action that was undone, is dropped.

    Args:
        start: the first position.
        opponent: a name for `mijnlieff.load_policy`, or a policy.
        seat: the side of the person: ``"light"``, ``"dark"`` or ``"both"``.
        publish: called after every change, from any thread, but never twice at once.
        pause: the least time in seconds that the opponent takes, so that people can follow.
        seed: the seed of an opponent made from a name.

    Raises:
        ValueError: an unknown opponent or seat, or perfect play on a board of more than 16 cells.
        TypeError: the opponent is neither a name nor a policy.
    """

    def __init__(
        self,
        start: Position,
        opponent: str | Policy,
        seat: str,
        publish: Callable[[], None],
        *,
        pause: float = 0.0,
        seed: int = 0,
    ) -> None:
        """Set up the game; `begin` starts the opponent."""
        self._players = _players(seat)
        self._seat = seat
        self._seed = seed
        self._opponent = Opponent(opponent, start.variant, seed)
        self._line = Line(start)
        self._aids = dict.fromkeys(_AIDS, False)
        self._exact = Exact()
        self._error = ""
        self._failed = False
        self._version = 0
        self._pause = pause
        self._closed = threading.Event()
        # Guards everything above. `publish` is called without it, one call at a time.
        self._lock = threading.RLock()
        self._publish_lock = threading.RLock()
        self._publish = publish
        self._answers = Worker("mijnlieff-opponent", self._next_answer)
        self._solutions = Worker("mijnlieff-solver", self._next_solution)

    @property
    def line(self) -> Line:
        """The game; to read only."""
        return self._line

    @property
    def seat(self) -> str:
        """The side of the person."""
        return self._seat

    @property
    def opponent(self) -> str | Policy:
        """The opponent, as it was given."""
        return self._opponent.chosen

    def begin(self) -> None:
        """Let the opponent play if it moves first, and publish the state."""
        self._changed()

    def close(self) -> None:
        """Drop the work that the threads still do."""
        with self._lock:
            self._version += 1
            self._closed.set()

    def join(self, seconds: float) -> bool:
        """Wait for the threads; return False if they take longer than the time given."""
        deadline = time.monotonic() + seconds
        workers = (self._answers, self._solutions)
        return all(worker.join(max(0.0, deadline - time.monotonic())) for worker in workers)

    # The person's actions.

    def play(self, action: int | str) -> None:
        """Play an action for the person.

        Raises:
            IllegalMoveError: the action is illegal, or it is the opponent's turn.
            GameOverError: the game is over.
            ParseError: a text that is not an action.
        """
        with self._lock:
            position = self._line.last
            index = position.variant.action_index(action) if isinstance(action, str) else action
            if not position.is_over and position.to_play not in self._players:
                raise IllegalMoveError(
                    f"it is the turn of {PLAYERS[position.to_play]}, whom {self._opponent.name} "
                    "plays"
                )
            self._line.play(index)
            self._renew()
        self._changed()

    def undo(self) -> bool:
        """Take back everything since the person's last choice; return False if there is none."""
        with self._lock:
            length = self._line.last_choice(self._players)
            if length is None:
                return False
            self._line.cut(length)
            self._renew()
        self._changed()
        return True

    def go(self, shown: int) -> None:
        """Show the position after some actions; the game stays as it is."""
        with self._lock:
            self._line.show(shown)
        self._changed()

    def resume(self) -> None:
        """Take back every action after the position that is shown."""
        with self._lock:
            self._line.cut(self._line.shown)
            self._renew()
        self._changed()

    def ask_again(self) -> None:
        """Ask an opponent that failed once more."""
        with self._lock:
            self._renew()
        self._changed()

    def show(self, **aids: bool) -> None:
        """Switch ``hints``, ``evaluation`` or ``mistakes`` on or off.

        Raises:
            ValueError: there is no such aid.
        """
        for name in aids:
            if name not in _AIDS:
                raise ValueError(f"there is no aid {name!r}; choose {', '.join(_AIDS)}")
        with self._lock:
            self._aids.update(aids)
        self._changed()

    def new_game(
        self,
        start: Position | None = None,
        *,
        seat: str | None = None,
        opponent: str | Policy | None = None,
    ) -> None:
        """Start a new game.

        Args:
            start: its first position; None for the start of the same variant.
            seat: the side of the person; None for the same as before.
            opponent: a name or a policy; None for the same as before.

        Raises:
            ValueError: as in the class. The old game goes on.
            TypeError: as in the class.
        """
        with self._lock:
            first = Position(self._line.variant) if start is None else start
            self._set(Line(first), self._seat if seat is None else seat, opponent)
        self._changed()

    def load(self, record: str, variant: VariantLike | None = None) -> None:
        """Load a game to step through, with its mistakes marked; the person plays both sides.

        Args:
            record: such as ``"1. a1+, a3><; 2. a2+, a4<>"``.
            variant: its variant; None for the one at the table.

        Raises:
            ParseError: the text is not a record.
            IllegalMoveError: a move is illegal; the message says which.
        """
        with self._lock:
            line = Line.from_record(record, self._line.variant if variant is None else variant)
            self._set(line, "both", None)
            self._aids["mistakes"] = True
        self._changed()

    def handle(self, message: object) -> None:
        """Act on a message of the page; errors are shown to the person."""
        try:
            if not isinstance(message, dict):
                raise ValueError(f"a message is an object, not {message!r:.80}")
            self._do(message)
        except KeyError as error:
            self._complain(ValueError(f"the message lacks {error}"))
        except (ValueError, TypeError, IndexError, RuntimeError, OverflowError) as error:
            self._complain(error)

    def _complain(self, error: Exception) -> None:
        with self._lock:
            self._error = _sentence(error)
        self._changed()

    def _do(self, message: dict[str, Any]) -> None:
        kind = message.get("type")
        with self._lock:
            self._error = ""
        match kind:
            case "play":
                # A second click may arrive after the first has changed the position.
                if message["ply"] == self._line.last.ply and self._line.is_live:
                    self.play(int(message["action"]))
            case "undo":
                self.undo()
            case "go":
                self.go(int(message["shown"]))
            case "resume":
                self.resume()
            case "again":
                self.ask_again()
            case "show":
                self.show(**{name: bool(message[name]) for name in _AIDS if name in message})
            case "new":
                board = type(self._line.variant.board).from_text(str(message["rows"]))
                variant = Variant(board, str(message["opening"]), int(message["copies"]))
                opponent = str(message["opponent"])
                # Other names could make this process read files or run code.
                if opponent not in self._choices:
                    raise ValueError(f"{opponent!r:.80} is not among the opponents offered")
                # A policy that was given as an object cannot be made from its name.
                same = opponent == self._opponent.choice
                self.new_game(
                    Position(variant),
                    seat=str(message["seat"]),
                    opponent=None if same else opponent,
                )
            case "load":
                self.load(str(message["record"]))
            case _:
                raise ValueError(f"there is no message {kind!r:.80}")

    # The state.

    @property
    def is_thinking(self) -> bool:
        """Whether the opponent is to move and has not failed."""
        last = self._line.last
        return not (last.is_over or last.to_play in self._players or self._failed)

    @property
    def _marks_mistakes(self) -> bool:
        """Mistakes are marked on request, and always in a finished game."""
        return self._aids["mistakes"] or self._line.last.is_over

    @property
    def _choices(self) -> list[str]:
        """The opponents that the page offers: those with names, and the one that plays."""
        return list(dict.fromkeys([*OPPONENTS, self._opponent.choice]))

    def state(self) -> dict[str, Any]:
        """Return everything that the page shows, as values for JSON."""
        with self._lock:
            line = self._line
            seen = self._aids["hints"] or self._aids["evaluation"]
            return {
                "game": game_of(line.variant),
                "position": position_of(line.position),
                "evaluation": evaluation_of(line.position, self._exact) if seen else None,
                "moves": marks_of(line, self._exact if self._marks_mistakes else None),
                "marked": self._marks_mistakes,
                "record": line.record,
                "firstPly": line.start.ply,
                "shown": line.shown,
                "isLive": line.is_live,
                "yourTurn": line.is_live
                and not line.last.is_over
                and line.last.to_play in self._players,
                "thinking": self.is_thinking,
                "canUndo": line.last_choice(self._players) is not None,
                "seat": self._seat,
                "opponent": self._opponent.name,
                "choice": self._opponent.choice,
                "opponents": self._choices,
                "aids": dict(self._aids),
                "note": self._opponent.note if self._seat != "both" else "",
                "error": self._error,
                "failed": self._failed,
            }

    # The threads.

    def _next_answer(self) -> Callable[[], None] | None:
        with self._lock:
            if not self.is_thinking or self._closed.is_set():
                return None
            return partial(self._answer, self._line.last, self._opponent, self._version)

    def _answer(self, position: Position, opponent: Opponent, version: int) -> None:
        """Play the opponent's action, unless the game has changed in the meantime."""
        started = time.monotonic()
        action, error = None, ""
        try:
            if must_pass(position):
                action = position.variant.pass_action
            else:
                action = int(act_checked(opponent.policy, [position])[0])
        except BaseException as raised:  # any code of a user, in a thread of ours
            error = f"{opponent.name} failed: {type(raised).__name__}: {_sentence(raised)}"
        self._closed.wait(self._pause - (time.monotonic() - started))
        with self._lock:
            if version != self._version:
                return
            if action is None:
                self._failed, self._error = True, error
            else:
                self._line.play(action)
        self._changed()

    def _next_solution(self) -> Callable[[], None] | None:
        with self._lock:
            line = self._line
            if self._closed.is_set():
                return None
            wanted = []
            if self._aids["hints"] or self._aids["evaluation"]:
                wanted.append(line.position)
            if self._marks_mistakes:
                # Late positions are solved fast, and help to solve the earlier ones.
                wanted += reversed(line.positions[:-1])
            position = self._exact.missing(wanted)
            return None if position is None else partial(self._solve, position)

    def _solve(self, position: Position) -> None:
        try:
            solution = Exact.solve(position)
        except Exception as error:  # out of time or memory: the page then says so
            solution, text = None, f"the position could not be solved: {_sentence(error)}"
        with self._lock:
            self._exact.keep(position, solution)
            if solution is None:
                self._error = text
        self._changed()

    # Changes.

    def _set(self, line: Line, seat: str, opponent: str | Policy | None) -> None:
        players = _players(seat)
        chosen = self._opponent.chosen if opponent is None else opponent
        self._opponent = Opponent(chosen, line.variant, self._seed)
        self._line, self._seat, self._players = line, seat, players
        self._renew()

    def _renew(self) -> None:
        """Invalidate answers that are still being computed."""
        self._version += 1
        self._failed = False
        self._error = ""

    def _changed(self) -> None:
        with self._publish_lock:
            self._publish()
        if not self._closed.is_set():
            self._answers.wake()
            self._solutions.wake()


def _players(seat: str) -> tuple[int, ...]:
    if seat not in SEATS:
        raise ValueError(f"there is no seat {seat!r}; choose {', '.join(SEATS)}")
    return SEATS[seat]


def _sentence(error: BaseException) -> str:
    """Return the message of an error on one line, not too long for the page."""
    text = " ".join(str(error).split()) or type(error).__name__
    return text if len(text) <= 300 else text[:299] + "\N{HORIZONTAL ELLIPSIS}"
