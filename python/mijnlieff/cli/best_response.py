"""``mijnlieff best-response``: the worst case of a policy against any opponent."""

from __future__ import annotations

import argparse

from mijnlieff.cli.options import (
    add_json_argument,
    add_policy_argument,
    add_record_argument,
    add_tablebase_argument,
    add_threads_argument,
    add_variant_arguments,
    integer,
    position_of,
    print_report,
)
from mijnlieff.evaluation.best_response import MAX_POSITIONS, best_response

__all__ = ["EXAMPLES", "add_arguments", "run"]

EXAMPLES = ("champion --horizon 5", "champion '1. a1+' --seat dark --horizon 5")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_policy_argument(parser)
    parser.add_argument(
        "--seat",
        choices=["light", "dark", "both"],
        default="dark",
        help="the seat of the policy (default: %(default)s)",
    )
    add_record_argument(parser)
    parser.add_argument(
        "--horizon",
        type=integer(0),
        metavar="PLY",
        help="assume that the policy plays perfectly from this ply on (default: ask it to the end)",
    )
    parser.add_argument(
        "--max-positions",
        type=integer(1),
        default=MAX_POSITIONS,
        help="the most positions to keep, at about 60 bytes each (default: %(default)s)",
    )
    add_threads_argument(parser, "the exact search")
    add_tablebase_argument(parser)
    add_json_argument(parser, "a table")
    add_variant_arguments(parser)


def run(args: argparse.Namespace) -> None:
    """Search and print the report."""
    report = best_response(
        args.policy,
        seat=args.seat,
        start=position_of(args),
        horizon=args.horizon,
        max_positions=args.max_positions,
        progress=True,
        num_threads=args.num_threads,
        tablebase=args.tablebase,
    )
    print_report(report, args.json)
