"""A game at a table: the native state, and the threads of the opponent and the solver."""

from __future__ import annotations

import json
import os
import threading
import time
from collections.abc import Callable, Sequence
from typing import Any

from mijnlieff._mijnlieff import SEEDS, PerfectPolicy, PlayTable, Position, Stop, Tablebase
from mijnlieff.policies.base import Policy, act_checked
from mijnlieff.policies.load import PolicyLike, load_policy, name_of_path
from mijnlieff.rules import VariantLike, must_pass
from mijnlieff.solving import solve
from mijnlieff.widget.worker import Job, Worker

__all__ = ["Table"]

_SECONDS = 120.0  # the slowest start of a board with 16 cells and two copies takes 20 s on one core


class Table:
    """A game, its players, and the exact values found so far.

    The opponent and the solver work in threads, so every method returns at once. A result that is
    no longer wanted, such as an answer to an action that was undone, is dropped, and the core stops
    working on it.

    Args:
        start: the first position.
        opponent: a name or a path for `mijnlieff.load_policy`, or a policy.
        seat: the side of the person: ``"light"``, ``"dark"``, ``"both"``, or ``"drawn"`` for
            Light or Dark by chance, drawn again for each new game.
        publish: called after every change, from any thread, but never twice at once.
        pause: the least time in seconds that the opponent takes, so that people can follow.
        seed: the seed of opponents made from a name, with other draws in each game, and of drawn
            seats.
        actions: those that were played from `start` on, and can be taken back.
        tablebase: where exact values of its board are looked up, rather than searched.

    Attributes:
        game: the native table; to read only.

    Raises:
        ValueError: an unknown opponent or seat, or perfect play on a board of more than 16 cells.
        TypeError: the opponent is neither a name nor a path nor a policy.
        IllegalMoveError: an action is illegal.
        GameOverError: the game is over before the last action.
    """

    def __init__(
        self,
        start: Position,
        opponent: PolicyLike,
        seat: str,
        publish: Callable[[], None],
        *,
        pause: float = 0.0,
        seed: int = 0,
        actions: Sequence[int] = (),
        tablebase: Tablebase | None = None,
    ) -> None:
        """Set up the game; `begin` starts the opponent."""
        self._tablebase = tablebase
        self._seed = seed
        opponent = _text_of(opponent)
        name, is_perfect = _named(opponent, seed)
        self.game = PlayTable(start, name, seat, seed, is_perfect, actions)
        # The object among its opponents, with its name there.
        self._own = _own_of(name, opponent)
        self._opponent_lock = threading.Lock()  # a question goes to the opponent of its game
        self._player: tuple[int, Policy] | None = None
        self._pause = pause
        self._closed = threading.Event()
        self._publish_lock = threading.RLock()
        self._publish = publish
        self._answers = Worker("mijnlieff-opponent", self._next_answer)
        self._solutions = Worker("mijnlieff-solver", self._next_solution)

    def begin(self) -> None:
        """Let the opponent play if it moves first, and publish the state."""
        self._changed()

    def close(self) -> None:
        """Drop the work that the threads still do."""
        self._closed.set()
        self.game.renew()
        self._answers.drop_unwanted()
        self._solutions.drop_unwanted()

    def join(self, seconds: float) -> bool:
        """Wait for the threads; return False if they take longer than the time given."""
        deadline = time.monotonic() + seconds
        workers = (self._answers, self._solutions)
        return all(worker.join(max(0.0, deadline - time.monotonic())) for worker in workers)

    def state(self) -> dict[str, Any]:
        """Return everything that the page shows, as values for JSON."""
        state: dict[str, Any] = json.loads(self.game.state())
        return state

    def play(self, action: int | str) -> None:
        """Play an action for the person.

        Raises:
            IllegalMoveError: the action is illegal, or it is the opponent's turn.
            GameOverError: the game is over.
            ParseError: a text that is not an action.
        """
        self.game.play(action)
        self._changed()

    def undo(self) -> bool:
        """Take back everything since the person's last choice; return False if there is none."""
        undone = self.game.undo()
        if undone:
            self._changed()
        return undone

    def show(self, **aids: bool) -> None:
        """Switch ``hints``, ``evaluation`` or ``mistakes`` on or off.

        Raises:
            ValueError: there is no such aid.
        """
        for name, on in aids.items():
            self.game.show(name, on)
        self._changed()

    def new_game(
        self,
        start: Position | None = None,
        *,
        seat: str | None = None,
        opponent: PolicyLike | None = None,
    ) -> None:
        """Start a new game.

        Args:
            start: its first position; None for the start of the same variant.
            seat: the side of the person; None for the same as before, or drawn again.
            opponent: a name, a path or a policy; None for the same as before.

        Raises:
            ValueError: as in the class. The old game goes on.
            TypeError: as in the class.
        """
        if opponent is None:
            self.game.new_game(start, seat)
        else:
            opponent = _text_of(opponent)
            name, is_perfect = _named(opponent, self._seed)
            with self._opponent_lock:
                at_table = self.game.choice
                self.game.new_game(start, seat, name, is_perfect)
                self._keep(name, opponent, at_table)
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
        self.game.load(record, variant)
        self._changed()

    def handle(self, message: object) -> None:
        """Act on a message of the page; errors are shown to the person."""
        self.game.handle(json.dumps(message))
        self._changed()

    # The threads.

    def _next_answer(self) -> Job | None:
        with self._opponent_lock:
            asked = self.game.next_answer()
            if asked is None or self._closed.is_set():
                return None
            position, name, game, version = asked
            own = self._own
        opponent = own[1] if own is not None and own[0] == name else name
        # Jobs are compared: of the same version all else is the same.
        return self._answer, version, game, position, opponent

    def _answer(
        self, stop: Stop, version: int, game: int, position: Position, opponent: PolicyLike
    ) -> None:
        """Play the opponent's action, unless the game has changed in the meantime."""
        started = time.monotonic()
        action, error = None, ""
        try:
            if must_pass(position):
                action = position.variant.pass_action
            else:
                with stop:
                    action = int(act_checked(self._policy(opponent, game), [position])[0])
        except BaseException as raised:  # any code of a user, in a thread of ours
            error = f"{type(raised).__name__}: {raised}" if str(raised) else type(raised).__name__
        if not error:
            self._closed.wait(self._pause - (time.monotonic() - started))
        if not self._closed.is_set() and self.game.answer(version, action, error):
            self._changed()

    def _policy(self, opponent: PolicyLike, game: int) -> Policy:
        """Return the policy of a game; one that is made from a name is made for each game.

        Each has another seed, or a rematch would repeat the game before it.
        """
        if self._player is None or self._player[0] != game:
            self._player = game, load_policy(opponent, seed=(self._seed + game - 1) % SEEDS)
        return self._player[1]

    def _keep(self, name: str, opponent: PolicyLike, at_table: str) -> None:
        """Keep what was given last, as the native table does: the page can choose it by its name.

        Only the name of the opponent at the table replaces nothing there, so that the page goes on
        offering an object beside the level that it chose itself.
        """
        own = _own_of(name, opponent)
        is_new = name != at_table or (self._own is not None and self._own[0] == name)
        if own is not None or is_new:
            self._own = own

    def _next_solution(self) -> Job | None:
        position = self.game.next_solution()
        if position is None or self._closed.is_set():
            return None
        return self._solve, position

    def _solve(self, stop: Stop, position: Position) -> None:
        tablebase = self._serving(position)
        try:
            with stop:
                solution = solve(position, max_seconds=_SECONDS, tablebase=tablebase)
            margins = solution.action_margins
        except KeyboardInterrupt:  # only `stop` interrupts this thread
            return
        except Exception as error:  # out of time or memory: the page then says so
            self.game.solved(position, None, str(error))
        else:
            self.game.solved(position, margins)
        self._changed()

    def _serving(self, position: Position) -> Tablebase | None:
        """Return the tablebase, unless it is of another game than the one at the table."""
        table = self._tablebase
        return None if table is None or not table.serves(position.variant) else table

    def _changed(self) -> None:
        try:
            with self._publish_lock:
                self._publish()
        finally:  # the change stands even if the page could not be told
            if not self._closed.is_set():
                self._answers.wake()
                self._solutions.wake()


def _own_of(name: str, opponent: PolicyLike) -> tuple[str, PolicyLike] | None:
    """Return a policy that was given as an object, and its name; None for the name of a policy."""
    return None if isinstance(opponent, str) else (name, opponent)


def _text_of(opponent: PolicyLike) -> PolicyLike:
    """Return a path as a text that names no built-in policy, and anything else as it is."""
    return name_of_path(opponent) if isinstance(opponent, os.PathLike) else opponent


def _named(opponent: PolicyLike, seed: int) -> tuple[str, bool | None]:
    """Return the name of an opponent, and of an object whether it plays perfectly."""
    policy = load_policy(opponent, seed=seed)  # raises if there is none of this name
    if isinstance(opponent, str):
        return opponent, None
    return type(opponent).__name__, isinstance(policy, PerfectPolicy)
