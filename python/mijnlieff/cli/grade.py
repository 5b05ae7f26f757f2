"""``mijnlieff grade``: a policy against exact play."""

from __future__ import annotations

import argparse

from mijnlieff.cli.options import (
    add_policy_argument,
    add_report_arguments,
    add_variant_arguments,
    integer,
    parse_policy,
    print_report,
    variant_of,
)
from mijnlieff.evaluation.grading import grade

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_policy_argument(parser)
    parser.add_argument(
        "--positions",
        type=integer(3),
        default=10_000,
        help="how many, each of a game of its own (default: %(default)s)",
    )
    add_report_arguments(parser, seed="the games", threads="the exact search")
    add_variant_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Grade the policy, print the report and return the exit code.

    Raises:
        ValueError: an unknown policy.
        CheckpointError: a file is no checkpoint.
    """
    report = grade(
        parse_policy(args.policy, seed=0),
        positions=args.positions,
        seed=args.seed,
        variant=variant_of(args),
        progress=True,
        num_threads=args.threads,
        name=args.policy,
    )
    print_report(report, args.json)
    return 0
