"""``mijnlieff best-response``: the worst case of a policy against any opponent."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

from mijnlieff._mijnlieff import Position, format_record
from mijnlieff.cli.options import (
    actions_of,
    add_json_argument,
    add_policy_argument,
    add_record_argument,
    add_tablebase_argument,
    add_threads_argument,
    add_variant_arguments,
    integer,
    print_report,
    variant_of,
)
from mijnlieff.evaluation.best_response import MAX_POSITIONS, best_response
from mijnlieff.evaluation.best_response_report import BestResponse

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
    played = actions_of(args)
    report = best_response(
        args.policy,
        seat=args.seat,
        start=Position.from_actions(played, variant_of(args)),
        horizon=args.horizon,
        max_positions=args.max_positions,
        progress=True,
        num_threads=args.num_threads,
        tablebase=args.tablebase,
    )
    print_report(_with_whole_games(report, played), args.json)


def _with_whole_games(report: BestResponse, played: Sequence[int]) -> BestResponse:
    """Return a report whose games begin with what was played before its start.

    A position does not know how it came about, so the games of a report begin with its notation,
    which no command takes.

    Args:
        report: of one start.
        played: the actions that led to the start.
    """
    if not played:
        return report
    start = report.cases[0].start
    variant = start.variant

    def whole(game: str) -> str:
        names = game.removeprefix(f"{start.notation}: ").split(", ")
        return format_record([*played, *map(variant.action_index, names)], variant)

    cases = [
        replace(case, worst_game=case.worst_game and whole(case.worst_game))
        for case in report.cases
    ]
    return replace(report, cases=tuple(cases), refutations=tuple(map(whole, report.refutations)))
