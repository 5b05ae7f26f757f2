"""``mijnlieff evaluate``: a match between two policies."""

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
from mijnlieff.evaluation import evaluate

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument("policy", metavar="POLICY", help=POLICY_HELP)
    parser.add_argument("opponent", metavar="OPPONENT", help="likewise")
    parser.add_argument(
        "--games",
        type=integer(2),
        default=1000,
        help="an even number, both seats of each opening (default: %(default)s)",
    )
    parser.add_argument(
        "--opening-plies",
        type=integer(0),
        default=2,
        help="random plies before the policies take over (default: %(default)s)",
    )
    parser.add_argument(
        "--seed",
        type=integer(0, 2**64 - 1),
        default=0,
        help="of openings and ties (default: %(default)s)",
    )
    parser.add_argument(
        "--threads",
        type=integer(1),
        help="for built-in policies (default: one for each core)",
    )
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
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
    if args.json:
        print(json.dumps(_without_infinities(report.to_dict()), indent=2, allow_nan=False))
    else:
        print(report)
    return 0


def _without_infinities(value: Any) -> Any:
    """Replace what JSON has no word for, an Elo difference without bound, by null."""
    if isinstance(value, dict):
        return {key: _without_infinities(entry) for key, entry in value.items()}
    if isinstance(value, tuple):
        return [_without_infinities(entry) for entry in value]
    return None if isinstance(value, float) and math.isinf(value) else value
