"""``mijnlieff tournament``: a match between every pair of policies."""

from __future__ import annotations

import argparse

from mijnlieff.cli.options import (
    add_match_arguments,
    add_report_arguments,
    add_variant_arguments,
    print_report,
    variant_of,
)
from mijnlieff.evaluation.tournament import tournament
from mijnlieff.policies.load import POLICY_FORMS

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "policies", nargs="+", metavar="POLICY", help=f"two or more, each {POLICY_FORMS}"
    )
    add_match_arguments(parser)
    add_report_arguments(parser, seed="openings and tie-breaks", threads="built-in policies")
    add_variant_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Play all matches, print the report and return the exit code.

    Raises:
        ValueError: an unknown policy, one named twice, or an odd number of games.
        CheckpointError: a path is missing, or is neither a run nor a network.
        PolicyError: the object of a module cannot be loaded.
    """
    policies = {name: name for name in args.policies}
    if len(policies) < len(args.policies):
        twice = next(name for name in policies if args.policies.count(name) > 1)
        raise ValueError(f"{twice!r} is given {args.policies.count(twice)} times; give it once")
    report = tournament(
        policies,
        games=args.games,
        variant=variant_of(args),
        opening_plies=args.opening_plies,
        seed=args.seed,
        progress=True,
        num_threads=args.num_threads,
    )
    print_report(report, args.json)
    return 0
