"""``mijnlieff tablebase build``: the exact margin of every position, in a file."""

from __future__ import annotations

import argparse
import time
from pathlib import Path

from mijnlieff._mijnlieff import Tablebase
from mijnlieff._util.output import note, status_bar
from mijnlieff.cli.options import add_threads_argument, add_variant_arguments, variant_of

__all__ = ["EXAMPLES", "add_arguments", "run"]

EXAMPLES = ("--out standard.tablebase", "--board '###/###' --copies 1")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--out",
        type=Path,
        default=Path("mijnlieff.tablebase"),
        metavar="FILE",
        help="the file to write; FILE.partial is continued if it is there (default: %(default)s)",
    )
    add_threads_argument(parser, "the build", with_policies=False)
    add_variant_arguments(parser)


def run(args: argparse.Namespace) -> None:
    """Say what the table takes, and build it.

    Raises:
        TablebaseError: the variant has no table.
        OSError: the file is there, or cannot be written.
    """
    variant = variant_of(args)
    size = Tablebase.size(variant)
    note(
        f"{size['rows']:,} rows with {size['values']:,} values: "
        f"{size['file_bytes'] / 1e9:.2f} GB in {args.out}, "
        f"{size['build_bytes'] / 1e9:.2f} GB of memory while it is built"
    )
    start = time.monotonic()
    begun: list[float] = []
    with status_bar() as bar:

        def show(done: int, total: int, stones: int) -> None:
            # Rows that an earlier build left are read in no time.
            share = done / total
            if not begun:
                begun.append(share)
            text = f"rows with {stones} stones"
            if share > begun[0]:
                left = (time.monotonic() - start) * (1 - share) / (share - begun[0])
                text += f", {left:.0f} s left"
            bar.update(share, text)

        Tablebase.build(args.out, variant, num_threads=args.num_threads, progress=show)
    print(f"{args.out}: {args.out.stat().st_size:,} bytes in {time.monotonic() - start:.0f} s")
