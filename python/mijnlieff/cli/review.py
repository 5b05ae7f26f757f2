"""``mijnlieff review``: the points that each move of a game gave away."""

from __future__ import annotations

import argparse
import dataclasses

from mijnlieff._mijnlieff import Position, Variant
from mijnlieff._util.files import json_text
from mijnlieff.cli.margins import EXACT_PLAY, print_review
from mijnlieff.cli.options import (
    actions_of,
    add_json_argument,
    add_record_argument,
    add_seconds_argument,
    add_tablebase_argument,
    add_variant_arguments,
    variant_of,
)
from mijnlieff.evaluation.reviewing import review

__all__ = ["EXAMPLES", "add_arguments", "run"]

EXAMPLES = ("'1. a1+, a3><; 2. a2+, a4<>'", "'a1+, a3><' --json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_record_argument(parser, "-", "standard input")
    add_seconds_argument(parser)
    add_tablebase_argument(parser)
    add_json_argument(parser, "a table")
    add_variant_arguments(parser)


def run(args: argparse.Namespace) -> None:
    """Print the moves that gave points away, or all moves as JSON.

    Raises:
        ValueError: the record has no moves, or no position of the game can be solved.
        ParseError: the record cannot be read.
        IllegalMoveError: the record has an illegal move.
        SearchLimitError: it would take longer than allowed.
    """
    variant = variant_of(args)
    actions = actions_of(args)
    _check_solvable(actions, variant)
    moves = review(actions, variant, max_seconds=args.max_seconds, tablebase=args.tablebase)
    if args.json:
        print(json_text([dataclasses.asdict(move) | {"loss": move.loss} for move in moves]))
        return
    print_review(moves, variant)


def _check_solvable(actions: list[int], variant: Variant) -> None:
    """Raise if there is nothing to review; before the last move most cells are filled."""
    if not actions:
        raise ValueError("the record has no moves")
    if not Position.from_actions(actions[:-1], variant).is_solvable:
        raise ValueError(f"no position of this game can be solved: {EXACT_PLAY}")
