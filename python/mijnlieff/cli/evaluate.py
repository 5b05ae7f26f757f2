"""``mijnlieff evaluate``: a match between two policies."""

from __future__ import annotations

import argparse

from mijnlieff._mijnlieff import Position
from mijnlieff.cli.margins import note_perfect_players
from mijnlieff.cli.options import (
    add_match_arguments,
    add_policy_argument,
    match_options,
    print_report,
)
from mijnlieff.evaluation.match import evaluate

__all__ = ["EXAMPLES", "add_arguments", "run"]

EXAMPLES = ("minimax:2 greedy --games 200", "minimax:2 random --games 20 --opening-plies 4 --json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_policy_argument(parser)
    parser.add_argument("opponent", metavar="OPPONENT", help="as POLICY")
    add_match_arguments(parser)


def run(args: argparse.Namespace) -> None:
    """Play the match and print the report."""
    options = match_options(args)
    note_perfect_players(Position(options["variant"]), (args.policy, args.opponent))
    print_report(evaluate(args.policy, args.opponent, **options), args.json)
