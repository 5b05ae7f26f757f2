"""``mijnlieff grade``: a policy compared with exact play."""

from __future__ import annotations

import argparse

from mijnlieff._mijnlieff import Position
from mijnlieff._util.output import print_wrapped
from mijnlieff.cli.margins import note_if_slow
from mijnlieff.cli.options import (
    add_policy_argument,
    add_report_arguments,
    add_tablebase_argument,
    integer,
    print_report,
    report_options,
)
from mijnlieff.evaluation.benchmark import STANDARD
from mijnlieff.evaluation.grade_report import WEIGHTS
from mijnlieff.evaluation.grading import grade
from mijnlieff.evaluation.ladder import OPTIMAL_SHARES

__all__ = ["EXAMPLES", "add_arguments", "run"]

EXAMPLES = ("greedy", "minimax:2 --positions 300 --opening corner", "champion --json")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_policy_argument(parser)
    parser.add_argument(
        "--positions",
        type=_positions,
        metavar="NUMBER|BENCHMARK",
        help="the name of a benchmark, standard-v1 or irregular-v1, or a number of positions to "
        "draw, each from a different game (default: standard-v1, and 10000 for other variants)",
    )
    parser.add_argument(
        "--by",
        choices=WEIGHTS,
        default="position",
        help="what has the same weight, every position or every board (default: %(default)s)",
    )
    add_report_arguments(parser, seed="the games", threads="the exact search")
    add_tablebase_argument(parser)


def _positions(text: str) -> int | str:
    """Return a number of positions, or the name of a benchmark."""
    return text if text[:1].isalpha() else integer(3)(text)


def run(args: argparse.Namespace) -> None:
    """Grade the policy and print the report."""
    options = report_options(args)
    if not isinstance(args.positions, str):
        warning = "to grade on this board may take hours, even with few --positions"
        note_if_slow(Position(options["variant"]), warning)
    is_given = any(value is not None for value in (args.board, args.opening, args.copies))
    if isinstance(args.positions, str) and not is_given:
        del options["variant"]  # the benchmark has its own
    report = grade(
        args.policy, positions=args.positions, by=args.by, tablebase=args.tablebase, **options
    )
    print_report(report, args.json)
    if not args.json and report.benchmark == STANDARD and args.by == "position":
        shares = ", ".join(f"{name} {share:.1%}" for name, share in OPTIMAL_SHARES.items())
        print_wrapped(f"optimal on {STANDARD}, others: {shares}")
