"""``mijnlieff best-response``: the worst case of a policy against any opponent."""

from __future__ import annotations

import argparse

from mijnlieff._mijnlieff import Position
from mijnlieff.cli.options import (
    add_json_argument,
    add_policy_argument,
    add_variant_arguments,
    integer,
    print_report,
    variant_of,
)
from mijnlieff.evaluation.best_response import MAX_POSITIONS, best_response

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_policy_argument(parser)
    parser.add_argument(
        "--seat",
        choices=["light", "dark", "both"],
        default="dark",
        help="the seat of the policy (default: %(default)s)",
    )
    parser.add_argument(
        "--record",
        metavar="RECORD",
        default="",
        help="start after these moves, such as '1. a1+, a3><' (default: an empty board)",
    )
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
    parser.add_argument(
        "--num-threads",
        type=integer(1),
        help="threads for the exact search (default: one for each core)",
    )
    add_json_argument(parser, "a table")
    add_variant_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Search, print the report and return the exit code.

    Raises:
        ValueError: an unknown policy.
        ParseError: the record is not one.
        IllegalMoveError: a move of the record is illegal.
        GameOverError: the record is of a finished game.
        CheckpointError: a path is missing, or is neither a run nor a network.
        PolicyError: the object of a module cannot be loaded.
        SearchLimitError: more positions can be reached than allowed.
    """
    report = best_response(
        args.policy,
        seat=args.seat,
        start=Position.from_record(args.record, variant_of(args)),
        horizon=args.horizon,
        max_positions=args.max_positions,
        progress=True,
        num_threads=args.num_threads,
        name=args.policy,
    )
    print_report(report, args.json)
    return 0
