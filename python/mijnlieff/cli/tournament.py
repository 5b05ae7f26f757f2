"""``mijnlieff tournament``: a match between every pair of policies."""

from __future__ import annotations

import argparse

from mijnlieff._mijnlieff import Position
from mijnlieff.cli.margins import note_perfect_players
from mijnlieff.cli.options import add_match_arguments, match_options, print_report
from mijnlieff.evaluation.tournament import tournament
from mijnlieff.policies.load import POLICY_FORMS

__all__ = ["EXAMPLES", "add_arguments", "run"]

EXAMPLES = ("random greedy minimax:2 --games 100", "random perfect:0.5 --games 20 --json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "policies", nargs="+", metavar="POLICY", help=f"two or more, each {POLICY_FORMS}"
    )
    add_match_arguments(parser)


def run(args: argparse.Namespace) -> None:
    """Play all matches and print the report.

    Raises:
        ValueError: a policy is named twice.
    """
    policies = {name: name for name in args.policies}
    if len(policies) < len(args.policies):
        twice = next(name for name in policies if args.policies.count(name) > 1)
        raise ValueError(f"{twice!r} is given {args.policies.count(twice)} times; give it once")
    options = match_options(args)
    note_perfect_players(Position(options["variant"]), policies)
    print_report(tournament(policies, **options), args.json)
