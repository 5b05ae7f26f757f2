"""``mijnlieff play``: a game in the terminal."""

from __future__ import annotations

import argparse
import shutil
import signal
import sys
import textwrap
from collections.abc import Sequence

from mijnlieff._mijnlieff import Position, Tablebase, Variant, format_record
from mijnlieff.cli.margins import EXACT_PLAY, evaluation_line, margin_lines, print_review
from mijnlieff.cli.options import (
    actions_of,
    add_record_argument,
    add_seed_argument,
    add_tablebase_argument,
    add_variant_arguments,
    variant_of,
)
from mijnlieff.cli.play_browser import add_browser_arguments, run_in_browser
from mijnlieff.errors import IllegalMoveError, ParseError, SearchLimitError
from mijnlieff.evaluation.reviewing import review
from mijnlieff.policies.base import Policy, act_checked
from mijnlieff.policies.load import POLICY_FORMS, load_policy
from mijnlieff.rules import PLAYERS
from mijnlieff.solving import solve

__all__ = ["EXAMPLES", "add_arguments", "run"]

EXAMPLES = ("", "--dark champion:64", "'1. a1+, a3><' --light greedy --eval")

_HELP = (
    "Type a cell and the sign of a piece, such as a1+ (signs: + straight, x diagonal, <> pusher, "
    ">< puller); * marks the allowed cells.\n"
    "Commands: moves (list legal moves), hint (their exact margins), eval (the result with perfect "
    "play), undo, quit, help."
)

_OPPONENT = "minimax:4"

#: Seconds allowed for them. Only boards without a book, or with many copies, take long.
_SECONDS = 10.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_record_argument(parser)
    parser.add_argument(
        "--light",
        metavar="PLAYER",
        help=f"the first player: human, {POLICY_FORMS} (default: human)",
    )
    parser.add_argument(
        "--dark",
        metavar="PLAYER",
        help=f"the second player, as --light (default: human against --light, else {_OPPONENT})",
    )
    parser.add_argument(
        "--eval",
        action="store_true",
        help="show the result with perfect play before every move (boards of up to 16 cells, and "
        "endings)",
    )
    add_seed_argument(parser, "the choices of policies")
    add_tablebase_argument(parser)
    add_variant_arguments(parser)
    add_browser_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Play the game and return the exit code.

    Raises:
        ParseError: the record cannot be read.
        IllegalMoveError: the record has an illegal move.
        ValueError: an unknown player.
        CheckpointError: a path is missing, or is neither a run nor a network.
        PolicyError: the object of a module cannot be loaded.
        MissingExtraError: a page was asked for, and Tornado is not installed.
    """
    names = (args.light or "human", args.dark or (_OPPONENT if args.light is None else "human"))
    if args.browser:
        return run_in_browser(args, *names)
    policies = [
        None if name == "human" else load_policy(name, args.seed + seat)
        for seat, name in enumerate(names)
    ]
    start = Position(variant_of(args))
    game = _Game(start, policies, shows_evaluation=args.eval, tablebase=args.tablebase)
    for action in actions_of(args):
        game.move(action)
    if None in policies:
        print(_HELP)
    try:
        while not game.position.is_over:
            if not game.take_turn():
                _print_record_so_far(game)
                return 0
    except KeyboardInterrupt:
        _print_record_so_far(game)
        return 128 + signal.SIGINT
    position = game.position
    print(f"\n{position}\n")
    if None in policies:
        _print_review(game.actions, position.variant, args.tablebase)
    print(format_record(game.actions, position.variant))
    return 0


def _print_record_so_far(game: _Game) -> None:
    """Say how to go on with a game that was left."""
    if game.actions:
        record = format_record(game.actions, game.position.variant)
        print(f"\nTo go on: mijnlieff play {record!r}, with the same options")


def _print_review(actions: Sequence[int], variant: Variant, tablebase: Tablebase | None) -> None:
    """Print the moves that gave points away, or why there is no review."""
    try:
        moves = review(actions, variant, max_seconds=_SECONDS, tablebase=tablebase)
    except SearchLimitError:
        print(f"The review would take longer than {_SECONDS:g} seconds.\n")
        return
    print_review(moves, variant)
    print()


class _Game:
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
        """Play one action; return False if the player quits."""
        position = self.position
        policy = self._policies[position.to_play]
        print(f"\n{position}")
        if self._shows_evaluation:
            _print_exact(position, self._tablebase, with_margins=False)
        if _must_pass(position):
            self._play(position.variant.pass_action)
        elif policy is not None:
            self._play(int(act_checked(policy, [position])[0]))
        else:
            return self._ask()
        return True

    def _ask(self) -> bool:
        """Read lines until the player plays, undoes or quits; return False for the last."""
        position = self.position
        while True:
            print(f"{PLAYERS[position.to_play]}> ", end="", flush=True)
            line = sys.stdin.readline()
            if not line:
                print()
                return False
            match line.strip().lower():
                case "":
                    continue
                case "q" | "quit" | "exit":
                    return False
                case "h" | "help" | "?":
                    print(_HELP)
                case "moves":
                    names = map(position.variant.action_name, position.legal_actions().tolist())
                    _print_wrapped(" ".join(names))
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
                        _print_wrapped(str(error))
                    else:
                        return True

    def move(self, action: int) -> None:
        """Play an action.

        Raises:
            IllegalMoveError: it is illegal.
        """
        self._positions.append(self.position.play(action))
        self.actions.append(action)

    def _play(self, action: int) -> None:
        position = self.position
        self.move(action)
        name = position.variant.action_name(action)
        print(f"{PLAYERS[position.to_play]} plays {name}")

    def _undo(self) -> bool:
        """Go back to the last choice of a human player; return False if there is none."""
        for ply in reversed(range(len(self.actions))):
            position = self._positions[ply]
            if self._policies[position.to_play] is None and not _must_pass(position):
                del self._positions[ply + 1 :], self.actions[ply:]
                return True
        return False


def _print_exact(position: Position, tablebase: Tablebase | None, *, with_margins: bool) -> None:
    """Print the result with perfect play, and the margin of each legal action if asked for."""
    if not position.is_solvable:
        print(EXACT_PLAY)
        return
    try:
        solution = solve(position, max_seconds=_SECONDS, tablebase=tablebase)
    except SearchLimitError:
        print(f"exact play would take longer than {_SECONDS:g} seconds here")
        return
    lines = [f"With perfect play, {evaluation_line(position, solution)}"]
    if with_margins:
        lines += margin_lines(position, solution)
    for line in lines:
        _print_wrapped(line)


def _print_wrapped(line: str) -> None:
    """Print a line, on a terminal in lines that fit and break between words alone."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 10_000
    indent = " " * 5
    print(textwrap.fill(line, width, subsequent_indent=indent, break_on_hyphens=False))


def _must_pass(position: Position) -> bool:
    return bool(position.action_mask()[position.variant.pass_action])
