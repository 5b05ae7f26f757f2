"""``mijnlieff solve``: the exact margin of a position and of every action."""

from __future__ import annotations

import argparse
import math

from mijnlieff._mijnlieff import Position
from mijnlieff._util.json_text import json_text
from mijnlieff.cli.margins import evaluation_line, margin_lines, named_margins
from mijnlieff.cli.options import (
    add_json_argument,
    add_variant_arguments,
    integer,
    variant_of,
)
from mijnlieff.solving import Solution, solve

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "record",
        nargs="?",
        default="",
        metavar="RECORD",
        help="the turns so far, such as '1. a1+, a3><; 2. a2+' (default: the start)",
    )
    parser.add_argument("--nodes", type=integer(1), help="the most positions to search")
    parser.add_argument("--seconds", type=_seconds, help="the most seconds to search")
    add_json_argument(parser, "text")
    add_variant_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Solve the position, print it and its margins, and return the exit code.

    Raises:
        ParseError: the record cannot be read.
        IllegalMoveError: the record has an illegal move.
        SearchLimitError: a limit was reached; the message has the proven bounds.
    """
    position = Position.from_record(args.record, variant_of(args))
    solution = solve(position, max_nodes=args.nodes, max_seconds=args.seconds)
    print(_json(position, solution) if args.json else _text(position, solution))
    return 0


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


def _text(position: Position, solution: Solution) -> str:
    head = [str(position), "", evaluation_line(position, solution)]
    return "\n".join(head + margin_lines(position, solution))


def _json(position: Position, solution: Solution) -> str:
    names = position.variant.action_name
    return json_text(
        {
            "to_play": position.to_play,
            "margin": solution.margin,
            "outcome": solution.outcome,
            "best_actions": [names(action) for action in solution.best_actions],
            "action_margins": named_margins(position, solution),
            "nodes": solution.nodes,
        }
    )
