"""``mijnlieff perft``: the number of action sequences, depth by depth."""

from __future__ import annotations

import argparse
import time

from mijnlieff._mijnlieff import Position, perft
from mijnlieff.cli.options import add_variant_arguments, integer, variant_of

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument("depth", type=integer(0, 100), help="the longest sequences to count")
    parser.add_argument(
        "--actions",
        default="",
        metavar="ACTIONS",
        help="start after these actions, such as 'a1+ a3><'",
    )
    add_variant_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Count, print a line for each depth and return the exit code.

    Raises:
        ParseError: ``--actions`` cannot be read.
        IllegalMoveError: an action is illegal.
    """
    actions = args.actions.replace(",", " ").split()
    position = Position.from_actions(actions, variant_of(args))
    print(f"{'depth':>5}  {'sequences':>18}  {'seconds':>9}")
    for depth in range(1 if args.depth else 0, args.depth + 1):
        start = time.perf_counter()
        count = perft(position, depth)
        seconds = time.perf_counter() - start
        print(f"{depth:5}  {count:18,}  {seconds:9.3f}", flush=True)
    return 0
