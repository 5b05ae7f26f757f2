"""``mijnlieff evaluate``: a match between two policies."""

from __future__ import annotations

import argparse

from mijnlieff.cli.options import (
    add_match_arguments,
    add_policy_argument,
    match_options,
    print_report,
)
from mijnlieff.evaluation.match import evaluate

__all__ = ["EXAMPLE", "add_arguments", "run"]

EXAMPLE = "minimax:2 greedy --games 200"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_policy_argument(parser)
    parser.add_argument("opponent", metavar="OPPONENT", help="as POLICY")
    add_match_arguments(parser)


def run(args: argparse.Namespace) -> None:
    """Play the match and print the report."""
    print_report(evaluate(args.policy, args.opponent, **match_options(args)), args.json)
