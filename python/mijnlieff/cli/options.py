"""Options that several commands share."""

from __future__ import annotations

import argparse
import math
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mijnlieff._mijnlieff import SEEDS, Board, Position, Tablebase, Variant, parse_record
from mijnlieff._util.files import json_text, utf8_text
from mijnlieff._util.output import TableReport
from mijnlieff.errors import BoardError, ParseError
from mijnlieff.policies.load import POLICY_FORMS

__all__ = [
    "actions_of",
    "add_json_argument",
    "add_match_arguments",
    "add_opening_argument",
    "add_policy_argument",
    "add_record_argument",
    "add_report_arguments",
    "add_seconds_argument",
    "add_seed_argument",
    "add_tablebase_argument",
    "add_threads_argument",
    "add_variant_arguments",
    "integer",
    "match_options",
    "parse_board",
    "position_of",
    "print_report",
    "report_options",
    "variant_of",
]


def add_variant_arguments(parser: argparse.ArgumentParser) -> None:
    """Add ``--board``, ``--opening`` and ``--copies``, which `variant_of` reads."""
    group = parser.add_argument_group("variant")
    group.add_argument(
        "--board",
        type=parse_board,
        metavar="BOARD",
        help="standard; blocks:0,0;2,2 (lower left corners of 2x2 blocks); "
        "##../##../..##/..## (rows from the top); or a file with such rows (default: standard)",
    )
    group.add_argument(
        "--opening",
        choices=["outside", "corner", "corner_straight", "anywhere"],
        help="where Light may place the first piece (default: outside)",
    )
    group.add_argument(
        "--copies", type=int, help="pieces of each type for each player, 1 to 127 (default: 2)"
    )


def add_match_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options of matches, which `match_options` reads."""
    parser.add_argument(
        "--games",
        type=integer(2),
        default=1000,
        help="games of each match, an even number: two for each opening (default: %(default)s)",
    )
    add_opening_argument(parser)
    add_report_arguments(parser, seed="openings and tie-breaks", threads="built-in policies")


def add_opening_argument(parser: argparse.ArgumentParser) -> None:
    """Add ``--opening-plies``."""
    parser.add_argument(
        "--opening-plies",
        type=integer(0),
        default=2,
        help="random plies before the players take over (default: %(default)s)",
    )


def match_options(args: argparse.Namespace) -> dict[str, Any]:
    """Return the options of `add_match_arguments` as those of `evaluate` and `tournament`."""
    return report_options(args) | {"games": args.games, "opening_plies": args.opening_plies}


def add_seed_argument(parser: argparse.ArgumentParser, seed: str) -> None:
    """Add ``--seed``; the text `seed` says what it seeds."""
    parser.add_argument(
        "--seed",
        type=integer(0, SEEDS - 1),
        default=0,
        help=f"seed of {seed} (default: %(default)s)",
    )


def add_report_arguments(parser: argparse.ArgumentParser, *, seed: str, threads: str) -> None:
    """Add the options of commands that print a report; `report_options` reads some of them.

    Args:
        parser: of the command.
        seed: what the seed is for.
        threads: what the threads are for.
    """
    add_seed_argument(parser, seed)
    add_threads_argument(parser, threads)
    add_json_argument(parser, "a table")
    add_variant_arguments(parser)


def report_options(args: argparse.Namespace) -> dict[str, Any]:
    """Return the seed, the variant and what else functions of `mijnlieff.evaluation` share."""
    return {
        "seed": args.seed,
        "variant": variant_of(args),
        "num_threads": args.num_threads,
        "progress": True,
    }


def add_threads_argument(
    parser: argparse.ArgumentParser, threads: str, *, with_policies: bool = True
) -> None:
    """Add ``--num-threads``.

    Args:
        parser: of the command.
        threads: what they are for.
        with_policies: whether the command has policies, whose tree searches have other threads.
    """
    others = "; tree searches of policies use all cores" if with_policies else ""
    parser.add_argument(
        "--num-threads",
        type=integer(1),
        help=f"threads for {threads}{others} (default: one for each core)",
    )


def add_tablebase_argument(parser: argparse.ArgumentParser) -> None:
    """Add ``--tablebase``, the file to look exact margins up in."""
    parser.add_argument(
        "--tablebase",
        type=Tablebase.open,
        metavar="FILE",
        help="look exact margins up in a file of mijnlieff tablebase build, rather than search",
    )


def add_seconds_argument(parser: argparse.ArgumentParser) -> None:
    """Add ``--max-seconds``."""
    parser.add_argument("--max-seconds", type=_seconds, help="the most seconds to search")


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 0 <= seconds < math.inf:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a finite number of seconds of at least 0"
        )
    return seconds


def add_record_argument(
    parser: argparse.ArgumentParser, default: str = "", meaning: str = "the start of a game"
) -> None:
    """Add ``RECORD``, which `actions_of` and `position_of` read.

    Args:
        parser: of the command.
        default: the record, or ``-``, if none is given.
        meaning: what the default is.
    """
    parser.add_argument(
        "record",
        nargs="?",
        default=default,
        metavar="RECORD",
        help="the turns so far, such as '1. a1+, a3><; 2. a2+', a file with them, or - for "
        f"standard input (default: {meaning})",
    )


def actions_of(args: argparse.Namespace) -> list[int]:
    """Return the actions of the record, in the variant of the options.

    Raises:
        ParseError: the record cannot be read.
        IllegalMoveError: the record has an illegal move.
    """
    return parse_record(_read_record(args.record), variant_of(args))


def position_of(args: argparse.Namespace) -> Position:
    """Return the position after the record; see `actions_of`."""
    return Position.from_actions(actions_of(args), variant_of(args))


def _read_record(text: str) -> str:
    """Return the record in an argument: the text, or the content of the file that it names.

    Raises:
        ParseError: it looks like the name of a file that does not exist.
        OSError: the file cannot be read.
        ValueError: the file is not text.
    """
    if text == "-":
        return "" if sys.stdin is None else utf8_text(sys.stdin.buffer.read(), "standard input")
    path = Path(text)
    if os.path.exists(text):  # false also where it is too long for a name, or has a zero byte
        return utf8_text(path.read_bytes(), text)
    if path.suffix[1:].isalpha() or path.name != text:
        raise ParseError(f"there is no file {text}")
    return text


def add_json_argument(parser: argparse.ArgumentParser, usual: str) -> None:
    """Add ``--json``; `usual` is what is printed without it, such as ``"a table"``."""
    parser.add_argument("--json", action="store_true", help=f"print JSON instead of {usual}")


def add_policy_argument(parser: argparse.ArgumentParser) -> None:
    """Add ``POLICY``, a name or path for `load_policy`."""
    parser.add_argument("policy", metavar="POLICY", help=POLICY_FORMS)


def print_report(report: TableReport, as_json: bool) -> None:
    """Print a report as a table or as JSON."""
    if as_json:
        print(json_text(report.to_dict()))
    else:
        report.print()


def variant_of(args: argparse.Namespace) -> Variant:
    """Return the variant given by the options of `add_variant_arguments`.

    Raises:
        VariantError: the number of copies is out of range.
    """
    copies = {} if args.copies is None else {"copies": args.copies}
    return Variant(args.board, args.opening or "outside", **copies)


def parse_board(text: str) -> Board:
    """Return the board given by ``--board``.

    Raises:
        argparse.ArgumentTypeError: the text does not describe a board or name a readable file.
    """
    try:
        is_board = re.fullmatch("standard|blocks:.*|[./]*#[#./]*", text)
        return Board.from_text(text if is_board else utf8_text(Path(text).read_bytes(), text))
    except BoardError as error:
        raise argparse.ArgumentTypeError(f"{text}: {error}") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a board: give 'standard', blocks:X,Y;..., rows of '#' and '.', or a "
            f"readable file ({reason})"
        ) from error


def integer(low: int, high: int | None = None) -> Callable[[str], int]:
    """Return a parser of integers from `low` to `high`, for argparse."""

    def parse(text: str) -> int:
        wanted = f"an integer from {low}" + (" up" if high is None else f" to {high}")
        try:
            number = int(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"{text!r} is not {wanted}") from None
        if number < low or (high is not None and number > high):
            raise argparse.ArgumentTypeError(f"{number} is not {wanted}")
        return number

    return parse
