"""``mijnlieff grade``: a policy against exact play."""

from __future__ import annotations

import argparse
import json
import math
from typing import Any

from mijnlieff.commands.options import (
    POLICY_HELP,
    add_variant_arguments,
    integer,
    parse_policy,
    variant_of,
)
from mijnlieff.grading import grade

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("policy", metavar="POLICY", help=POLICY_HELP)
    parser.add_argument(
        "--positions",
        type=integer(3),
        default=10_000,
        help="how many, each of a game of its own (default: %(default)s)",
    )
    parser.add_argument(
        "--seed",
        type=integer(0, 2**64 - 1),
        default=0,
        help="of the games (default: %(default)s)",
    )
    parser.add_argument(
        "--threads", type=integer(1), help="for the exact search (default: one for each core)"
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
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
    if args.json:
        print(json.dumps(_without_nan(report.to_dict()), indent=2, allow_nan=False))
    else:
        print(report)
    return 0


def _without_nan(value: Any) -> Any:
    """Replace what JSON has no word for, a share of no positions, by null."""
    if isinstance(value, dict):
        return {key: _without_nan(entry) for key, entry in value.items()}
    if isinstance(value, tuple):
        return [_without_nan(entry) for entry in value]
    return None if isinstance(value, float) and math.isnan(value) else value
