"""``mijnlieff grade``: a policy compared with exact play."""

from __future__ import annotations

import argparse

from mijnlieff.cli.options import (
    add_policy_argument,
    add_report_arguments,
    add_variant_arguments,
    integer,
    print_report,
    variant_of,
)
from mijnlieff.evaluation.grade_report import WEIGHTS
from mijnlieff.evaluation.grading import grade

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    add_policy_argument(parser)
    parser.add_argument(
        "--positions",
        type=_positions,
        default=10_000,
        metavar="NUMBER|BENCHMARK",
        help="number of positions to draw, each from a different game, or the name of a benchmark: "
        "standard-v1 or irregular-v1 (default: %(default)s)",
    )
    parser.add_argument(
        "--by",
        choices=WEIGHTS,
        default="position",
        help="what has the same weight, every position or every board (default: %(default)s)",
    )
    add_report_arguments(parser, seed="the games", threads="the exact search")
    add_variant_arguments(parser)


def _positions(text: str) -> int | str:
    """Return a number of positions, or the name of a benchmark."""
    return text if text[:1].isalpha() else integer(3)(text)


def run(args: argparse.Namespace) -> int:
    """Grade the policy, print the report and return the exit code.

    Raises:
        ValueError: an unknown policy or benchmark, or a benchmark and options of the variant.
        CheckpointError: a path is missing, or is neither a run nor a network.
        PolicyError: the object of a module cannot be loaded.
    """
    is_given = any(value is not None for value in (args.board, args.opening, args.copies))
    report = grade(
        args.policy,
        positions=args.positions,
        seed=args.seed,
        variant=None if isinstance(args.positions, str) and not is_given else variant_of(args),
        progress=True,
        num_threads=args.num_threads,
        name=args.policy,
        by=args.by,
    )
    print_report(report, args.json)
    return 0
