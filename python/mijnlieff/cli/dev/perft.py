"""``mijnlieff dev perft``: the number of action sequences, depth by depth."""

from __future__ import annotations

import argparse
import time

from mijnlieff._mijnlieff import perft
from mijnlieff.cli.options import add_record_argument, add_variant_arguments, integer, position_of

__all__ = ["EXAMPLES", "add_arguments", "run"]

EXAMPLES = ("4", "2 'a1+, a3><'")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "depth", metavar="DEPTH", type=integer(0, 100), help="the longest sequences to count"
    )
    add_record_argument(parser)
    add_variant_arguments(parser)


def run(args: argparse.Namespace) -> None:
    """Count, and print a line for each depth.

    Raises:
        ParseError: the record cannot be read.
        IllegalMoveError: an action is illegal.
    """
    position = position_of(args)
    print(f"{'depth':>5}  {'sequences':>18}  {'seconds':>9}")
    for depth in range(1 if args.depth else 0, args.depth + 1):
        start = time.perf_counter()
        count = perft(position, depth)
        seconds = time.perf_counter() - start
        print(f"{depth:5}  {count:18,}  {seconds:9.3f}", flush=True)
