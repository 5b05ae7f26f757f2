"""``mijnlieff solve``: the exact margin of a position and of every action."""

from __future__ import annotations

import argparse

from mijnlieff._mijnlieff import Position
from mijnlieff._util.files import json_text
from mijnlieff._util.output import note, print_wrapped
from mijnlieff.cli.margins import EXACT_PLAY, evaluation_line, margin_lines, named_margins
from mijnlieff.cli.options import (
    add_json_argument,
    add_record_argument,
    add_seconds_argument,
    add_tablebase_argument,
    add_variant_arguments,
    integer,
    position_of,
)
from mijnlieff.solving import Solution, solve

__all__ = ["EXAMPLES", "add_arguments", "run"]

EXAMPLES = ("", "'1. a1+, a3><'", "'1. a1+, a3><' --json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_record_argument(parser)
    parser.add_argument("--max-nodes", type=integer(1), help="the most positions to search")
    add_seconds_argument(parser)
    add_tablebase_argument(parser)
    add_json_argument(parser, "text")
    add_variant_arguments(parser)


def run(args: argparse.Namespace) -> None:
    """Solve the position, and print it and its margins.

    Raises:
        ParseError: the record cannot be read.
        IllegalMoveError: the record has an illegal move.
        SearchLimitError: a limit was reached; the message has the proven bounds.
        TablebaseError: the tablebase is damaged.
    """
    position = position_of(args)
    if not position.is_solvable and args.max_nodes is args.max_seconds is None:
        empty = int((position.stones == 0).sum())
        note(f"{empty} empty cells: {EXACT_PLAY}; this may take hours, --max-seconds bounds it")
    solution = solve(
        position,
        max_nodes=args.max_nodes,
        max_seconds=args.max_seconds,
        tablebase=args.tablebase,
    )
    if args.json:
        print(_json(position, solution))
        return
    print(position)
    if position.is_over:  # which says who has won
        return
    print("", evaluation_line(position, solution), sep="\n")
    for line in margin_lines(position, solution):
        print_wrapped(line)


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
