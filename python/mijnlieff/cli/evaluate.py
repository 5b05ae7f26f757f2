"""``mijnlieff evaluate``: a match between two policies."""

from __future__ import annotations

import argparse

from mijnlieff.cli.options import (
    add_match_arguments,
    add_policy_argument,
    add_report_arguments,
    add_variant_arguments,
    parse_policy,
    print_report,
    variant_of,
)
from mijnlieff.evaluation.match import evaluate

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_policy_argument(parser)
    parser.add_argument("opponent", metavar="OPPONENT", help="likewise")
    add_match_arguments(parser)
    add_report_arguments(parser, seed="openings and ties", threads="built-in policies")
    add_variant_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Play the match, print the report and return the exit code.

    Raises:
        ValueError: an unknown policy, or an odd number of games.
        CheckpointError: a file is no checkpoint.
    """
    report = evaluate(
        parse_policy(args.policy, seed=0),
        parse_policy(args.opponent, seed=0),
        games=args.games,
        variant=variant_of(args),
        opening_plies=args.opening_plies,
        seed=args.seed,
        progress=True,
        num_threads=args.threads,
        names=(args.policy, args.opponent),
    )
    print_report(report, args.json)
    return 0
