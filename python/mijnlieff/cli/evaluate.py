"""``mijnlieff evaluate``: a match between two policies."""

from __future__ import annotations

import argparse

from mijnlieff.cli.options import (
    add_match_arguments,
    add_policy_argument,
    add_report_arguments,
    add_variant_arguments,
    print_report,
    variant_of,
)
from mijnlieff.evaluation.match import evaluate

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_policy_argument(parser)
    parser.add_argument("opponent", metavar="OPPONENT", help="as POLICY")
    add_match_arguments(parser)
    add_report_arguments(parser, seed="openings and tie-breaks", threads="built-in policies")
    add_variant_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Play the match, print the report and return the exit code.

    Raises:
        ValueError: an unknown policy, or an odd number of games.
        CheckpointError: a path is missing, or is neither a run nor a network.
        PolicyError: the object of a module cannot be loaded.
    """
    report = evaluate(
        args.policy,
        args.opponent,
        games=args.games,
        variant=variant_of(args),
        opening_plies=args.opening_plies,
        seed=args.seed,
        progress=True,
        num_threads=args.num_threads,
        names=(args.policy, args.opponent),
    )
    print_report(report, args.json)
    return 0
