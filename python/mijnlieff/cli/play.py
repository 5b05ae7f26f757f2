"""``mijnlieff play``: a game in the terminal or a browser, or one between two policies to watch."""

from __future__ import annotations

import argparse
import signal
from collections.abc import Sequence

from mijnlieff._mijnlieff import SEEDS, Position, Tablebase, Variant, format_record
from mijnlieff._util.output import print_wrapped
from mijnlieff.cli.margins import note_perfect_players, print_review
from mijnlieff.cli.options import (
    actions_of,
    add_record_argument,
    add_seed_argument,
    add_tablebase_argument,
    add_variant_arguments,
    integer,
    variant_of,
)
from mijnlieff.cli.play_browser import add_browser_arguments, run_in_browser
from mijnlieff.cli.play_terminal import SECONDS, TYPE, TerminalGame, seen
from mijnlieff.errors import SearchLimitError
from mijnlieff.evaluation.reviewing import review
from mijnlieff.policies.load import POLICY_FORMS, load_policy
from mijnlieff.solving import solver_for

__all__ = ["EXAMPLES", "add_arguments", "run"]

EXAMPLES = ("", "--level 6", "--dark champion:64", "'1. a1+, a3><' --light greedy --eval")

_LEVEL = 4


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_record_argument(parser)
    parser.add_argument(
        "--level",
        type=integer(1, 8),
        help="the opponent, from 1 (weak) to 8 (strong); the command 'levels' in a game lists them "
        f"(default: {_LEVEL})",
    )
    parser.add_argument(
        "--light",
        metavar="PLAYER",
        help=f"the first player: human, {POLICY_FORMS} (default: human against --dark, else the "
        "opponent of --level)",
    )
    parser.add_argument(
        "--dark",
        metavar="PLAYER",
        help="the second player, as --light (default: human, or the opponent of --level against "
        "--light human)",
    )
    parser.add_argument(
        "--eval",
        action="store_true",
        help="show the result with perfect play below every board (boards of up to 16 cells, and "
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
        ValueError: an unknown player, an option that the other way to play has, or a tablebase of
            another game.
        CheckpointError: a path is missing, or is neither a run nor a network.
        PolicyError: the object of a module cannot be loaded.
        MissingExtraError: a page was asked for, and Tornado is not installed.
    """
    start = Position(variant_of(args))
    if args.tablebase is not None:
        solver_for(start.variant, args.tablebase)  # raises for another game, before any move
    light, dark, note = _players(args, start)
    _refuse_unused(args)
    if args.browser:
        return run_in_browser(args, light, dark)
    policies = [
        None if name == "human" else load_policy(name, (args.seed + seat) % SEEDS)
        for seat, name in enumerate((light, dark))
    ]
    game = TerminalGame(start, policies, shows_evaluation=args.eval, tablebase=args.tablebase)
    for action in actions_of(args):
        game.move(action)
    note_perfect_players(game.position, (light, dark))
    if None in policies:
        _print_welcome(start, light, dark, note)
    try:
        while not game.position.is_over:
            if not game.take_turn():
                _print_record_so_far(game)
                return 0
    except KeyboardInterrupt:
        _print_record_so_far(game)
        return 128 + signal.SIGINT
    except Exception:  # of a player's own code, too
        _print_record_so_far(game)
        raise
    game.show_end()
    try:
        if None in policies:
            _print_review(game.actions, start.variant, args.tablebase)
    except KeyboardInterrupt:
        print()
        return 128 + signal.SIGINT
    finally:  # whatever ends the review, the record of the game is kept
        print(format_record(game.actions, start.variant))
    return 0


def _refuse_unused(args: argparse.Namespace) -> None:
    """Raise for an option of the page without ``--browser``, or of the terminal with it."""
    if args.browser and args.eval:
        raise ValueError("--eval is for the terminal; the page has a button for it")
    if not args.browser and (args.no_open or args.port):
        option = "--no-open" if args.no_open else "--port"
        raise ValueError(f"{option} is for the page: add --browser")


def _players(args: argparse.Namespace, start: Position) -> tuple[str, str, str]:
    """Return the names of Light and Dark, and a sentence if another plays than the level's.

    Raises:
        ValueError: a level beside another opponent, or one that cannot play on the board.
    """
    light, dark, level = args.light, args.dark, args.level
    if level is None and (light or dark):
        return light or "human", dark or "human", ""
    if (light and dark) or not {light, dark} <= {None, "human"}:
        raise ValueError(
            "--level names the opponent: give only --light human or --dark human with it"
        )
    policies = [it["policy"] for it in seen(start)["opponents"] if it["level"] == (level or _LEVEL)]
    state = seen(start, policies[0], seat="dark")
    opponent = state["opponent"]
    players = ("human", opponent) if light else (opponent, "human")
    return *players, state["note"]


def _print_welcome(start: Position, light: str, dark: str, note: str) -> None:
    """Print who plays whom, who wins with perfect play, and how to go on."""
    if light == dark:
        words = "Two people play."
    else:
        own, opponent = ("Light", dark) if light == "human" else ("Dark", light)
        words = f"You are {own}, against {seen(start, opponent)['title']}."
    known = seen(start)["game"]["perfectPlay"]
    print_wrapped(" ".join(filter(None, [words, note, known])))
    print_wrapped(f"{TYPE} Type help for the rules and the commands.")


def _print_record_so_far(game: TerminalGame) -> None:
    """Say how to go on with a game that was left."""
    if game.actions:
        record = format_record(game.actions, game.position.variant)
        print(f"\nTo go on: mijnlieff play {record!r}, with the same options")


def _print_review(actions: Sequence[int], variant: Variant, tablebase: Tablebase | None) -> None:
    """Print the moves that gave points away, or why there is no review."""
    try:
        moves = review(actions, variant, max_seconds=SECONDS, tablebase=tablebase)
    except SearchLimitError:
        print(f"The review would take longer than {SECONDS:g} seconds.\n")
        return
    print_review(moves, variant)
    print()
