"""``mijnlieff tournament``: everybody plays everybody."""

from __future__ import annotations

import argparse

from mijnlieff.cli.options import (
    POLICY_HELP,
    add_match_arguments,
    add_report_arguments,
    add_variant_arguments,
    parse_policy,
    print_report,
    variant_of,
)
from mijnlieff.evaluation.tournament import tournament

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "policies", nargs="+", metavar="POLICY", help=f"two or more, each {POLICY_HELP}"
    )
    add_match_arguments(parser)
    add_report_arguments(parser, seed="openings and ties", threads="built-in policies")
    add_variant_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Play all matches, print the report and return the exit code.

    Raises:
        ValueError: an unknown policy, one named twice, or an odd number of games.
        CheckpointError: a file is no checkpoint.
    """
    policies = {name: parse_policy(name, seed=0) for name in args.policies}
    if len(policies) < len(args.policies):
        twice = next(name for name in policies if args.policies.count(name) > 1)
        raise ValueError(f"{twice!r} is named {args.policies.count(twice)} times; name it once")
    report = tournament(
        policies,
        games=args.games,
        variant=variant_of(args),
        opening_plies=args.opening_plies,
        seed=args.seed,
        progress=True,
        num_threads=args.threads,
    )
    print_report(report, args.json)
    return 0
