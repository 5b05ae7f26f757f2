"""A game in the terminal: what it prints and reads."""

from __future__ import annotations

import json
import sys
from typing import Any

from mijnlieff._mijnlieff import PlayTable, Position, Tablebase, Variant
from mijnlieff._util.output import print_table, print_wrapped, rich_console
from mijnlieff.cli.margins import EXACT_PLAY, evaluation_line, margin_lines
from mijnlieff.errors import IllegalMoveError, ParseError, SearchLimitError
from mijnlieff.policies.base import Policy, act_checked
from mijnlieff.render.to_text import LEGEND, moves_text, rules_text
from mijnlieff.rules import PLAYERS, must_pass
from mijnlieff.solving import solve

__all__ = ["SECONDS", "TYPE", "TerminalGame", "print_position", "seen"]

SECONDS = 10.0
"""Seconds allowed for exact values. Only boards without a book, or with many copies, take long."""

TYPE = "Type a cell and the sign of a piece, such as a1+."
"""How to play a move."""

_COMMANDS = (
    "Commands: moves (list legal moves), hint (their exact margins), eval (the result with perfect "
    "play), undo, levels (list the opponents), quit, help."
)

#: Styles of rich for what stands on the board; the players' names have those of their stones.
_STYLES = {
    r"\bL(?:\+|x|<>|><)|(?m:^Light)": "bold yellow",
    r"\bD(?:\+|x|<>|><)|(?m:^Dark)": "bold cyan",
    r"\*": "bold green",
    r"(?<= )\.(?= |$|\n)": "dim",
    r"to move": "bold",
}


class TerminalGame:
    """A game in progress, with its earlier positions."""

    def __init__(
        self,
        start: Position,
        policies: list[Policy | None],
        *,
        shows_evaluation: bool,
        tablebase: Tablebase | None,
    ) -> None:
        """Start at a position; a policy of None is a human player."""
        self._tablebase = tablebase
        self._shows_evaluation = shows_evaluation
        self._positions = [start]
        self._policies = policies
        self.actions: list[int] = []

    @property
    def position(self) -> Position:
        """The current position."""
        return self._positions[-1]

    def take_turn(self) -> bool:
        """Play one action; return False if the player quits.

        A person sees the board when a move is wanted, and whoever watches two policies sees it
        before each move.
        """
        position = self.position
        policy = self._policies[position.to_play]
        if policy is None or None not in self._policies:
            self._show()
        if must_pass(position):
            print(f"{PLAYERS[position.to_play]} has no allowed cell and passes")
            self.move(position.variant.pass_action)
        elif policy is not None:
            self._play(int(act_checked(policy, [position])[0]))
        else:
            return self._ask()
        return True

    def move(self, action: int) -> None:
        """Play an action.

        Raises:
            IllegalMoveError: it is illegal.
        """
        self._positions.append(self.position.play(action))
        self.actions.append(action)

    def show_end(self) -> None:
        """Print the last board, and whether the person has won, if there is one."""
        print_position(self.position)
        people = [seat for seat, policy in enumerate(self._policies) if policy is None]
        if len(people) == 1:
            result = seen(self.position, seat=PLAYERS[people[0]].lower())["result"]
            print(f"{result['text']}.\n")

    def _show(self) -> None:
        position = self.position
        print_position(position)
        print_wrapped(seen(position)["position"]["demand"])
        if self._shows_evaluation:
            _print_exact(position, self._tablebase, with_margins=False)

    def _ask(self) -> bool:
        """Read lines until the player plays, undoes or quits; return False for the last."""
        position = self.position
        while True:
            print(f"{PLAYERS[position.to_play]}> ", end="", flush=True)
            line = "" if sys.stdin is None else sys.stdin.readline()  # None: closed by the shell
            if not line:
                print()
                return False
            match line.strip().lower():
                case "":
                    continue
                case "q" | "quit" | "exit":
                    return False
                case "h" | "help" | "?":
                    _print_help(position.variant)
                case "levels":
                    _print_levels(position)
                case "moves":
                    print_wrapped(moves_text(position))
                case "hint" | "eval" as command:
                    with_margins = command == "hint"
                    _print_exact(position, self._tablebase, with_margins=with_margins)
                case "undo":
                    if self._undo():
                        return True
                    print("there is no move to undo")
                case text:
                    try:
                        self._play(position.variant.action_index(text))
                    except (ParseError, IllegalMoveError) as error:
                        # There may be dozens of legal moves.
                        reason, has_list, _ = str(error).partition("; legal:")
                        print_wrapped(f"{reason}; type moves for a list" if has_list else reason)
                    else:
                        return True

    def _play(self, action: int) -> None:
        before = self.position
        self.move(action)
        player = before.to_play
        scored = self.position.score[player] - before.score[player]
        gain = f" and scores {scored}" if scored else ""
        print(f"{PLAYERS[player]} plays {before.variant.action_name(action)}{gain}")

    def _undo(self) -> bool:
        """Go back to the last choice of a human player; return False if there is none."""
        for ply in reversed(range(len(self.actions))):
            position = self._positions[ply]
            if self._policies[position.to_play] is None and not must_pass(position):
                del self._positions[ply + 1 :], self.actions[ply:]
                return True
        return False


def seen(position: Position, opponent: str = "random", seat: str = "both") -> dict[str, Any]:
    """Return what the board of pages shows of a position, see `mijnlieff.Widget`.

    Raises:
        ValueError: the opponent plays perfectly, and the board has more than 16 cells.
    """
    state: dict[str, Any] = json.loads(PlayTable(position, opponent, seat, 0).state())
    return state


def print_position(position: Position) -> None:
    """Print the board after an empty line, on terminals in color if rich is installed."""
    console = rich_console(sys.stdout)
    if console is None:
        print(f"\n{position}")
        return
    from rich.text import Text

    text = Text(f"\n{position}")
    for pattern, style in _STYLES.items():
        text.highlight_regex(pattern, style)
    if (start := _last_stone(position)) is not None:
        text.stylize("reverse", start, start + len(text.plain[start:].split(maxsplit=1)[0]))
    console.print(text, no_wrap=True, overflow="ignore", crop=False)


def _last_stone(position: Position) -> int | None:
    """Return where the piece that was placed last begins in the text that is printed."""
    variant, action = position.variant, position.last_action
    if action is None or action == variant.pass_action:
        return None
    x, y = variant.board.cells[action % variant.board.num_cells]
    lines = f"\n{position}".split("\n")
    row = variant.board.height - y
    column = len(str(variant.board.height)) + 2 + 5 * x  # an empty column has no letter
    return sum(len(line) + 1 for line in lines[:row]) + column


def _print_help(variant: Variant) -> None:
    for line in [TYPE, "", *rules_text(variant).splitlines(), "", LEGEND, _COMMANDS]:
        print_wrapped(line)


def _print_levels(position: Position) -> None:
    rows = [
        [f"{it['level']}", it["name"], it["policy"], f"{it['rating']:+}"]
        for it in seen(position)["opponents"]
    ]
    note = "mijnlieff play --level 5 starts a game against another one."
    print_table([["level", "name", "policy", "rating"], *rows], "Opponents", note)


def _print_exact(position: Position, tablebase: Tablebase | None, *, with_margins: bool) -> None:
    """Print the result with perfect play, and the margin of each legal action if asked for."""
    if not position.is_solvable:
        print(EXACT_PLAY)
        return
    try:
        solution = solve(position, max_seconds=SECONDS, tablebase=tablebase)
    except SearchLimitError:
        print(f"exact play would take longer than {SECONDS:g} seconds here")
        return
    lines = [f"With perfect play, {evaluation_line(position, solution)}"]
    if with_margins:
        lines += margin_lines(position, solution)
    for line in lines:
        print_wrapped(line)
