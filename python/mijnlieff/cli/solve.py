"""``mijnlieff solve``: the exact margin of a position and of every action."""

from __future__ import annotations

import argparse
import math

from mijnlieff import Position
from mijnlieff._util.json_text import json_text
from mijnlieff.cli.options import (
    add_json_argument,
    add_variant_arguments,
    integer,
    variant_of,
)
from mijnlieff.solving import Solution, solve

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "record",
        nargs="?",
        default="",
        metavar="RECORD",
        help="the turns so far, such as '1. a1+, a3><; 2. a2+' (default: the start)",
    )
    parser.add_argument("--nodes", type=integer(1), help="the most positions to look into")
    parser.add_argument("--seconds", type=_seconds, help="the most time")
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
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds from 0")
    return seconds


def _names(position: Position, solution: Solution) -> dict[str, int]:
    """The margins by the name of the action, best first."""
    ranked = sorted(solution.action_margins.items(), key=lambda entry: (-entry[1], entry[0]))
    return {position.variant.action_name(action): margin for action, margin in ranked}


def _text(position: Position, solution: Solution) -> str:
    side = ("Light", "Dark")[position.to_play]
    verdict = {1: "wins", 0: "draws", -1: "loses"}[solution.outcome]
    lines = [str(position), "", f"{side} to move {verdict}, margin {solution.margin:+d}"]
    by_margin: dict[int, list[str]] = {}
    for name, margin in _names(position, solution).items():
        by_margin.setdefault(margin, []).append(name)
    lines += [f"{margin:+3d}: {' '.join(names)}" for margin, names in by_margin.items()]
    return "\n".join(lines)


def _json(position: Position, solution: Solution) -> str:
    names = position.variant.action_name
    return json_text(
        {
            "to_play": position.to_play,
            "margin": solution.margin,
            "outcome": solution.outcome,
            "best_actions": [names(action) for action in solution.best_actions],
            "action_margins": _names(position, solution),
            "nodes": solution.nodes,
        }
    )
