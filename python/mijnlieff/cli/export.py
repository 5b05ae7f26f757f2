"""``mijnlieff export``: the network of a checkpoint as a file that needs no PyTorch to play."""

from __future__ import annotations

import argparse
from pathlib import Path

__all__ = ["add_arguments", "run"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "checkpoint",
        metavar="CHECKPOINT",
        help="a checkpoint of `mijnlieff train`, or the folder of the run",
    )
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="FILE",
        help="the file to write; a name of its own for policies, see `mijnlieff evaluate --help`",
    )


def run(args: argparse.Namespace) -> int:
    """Write the file, say what it holds, and return the exit code.

    Raises:
        MissingExtraError: PyTorch is not installed.
        CheckpointError: the checkpoint is missing, damaged or foreign.
        OutputError: the file cannot be written.
    """
    from mijnlieff.train.extras import require_train_extra

    require_train_extra("torch")
    from mijnlieff.train.run.export import export_checkpoint

    network = export_checkpoint(args.checkpoint, args.out)
    print(
        f"{args.out}: {network.num_weights:,} weights, width {network.width}, "
        f"{network.blocks} blocks, {args.out.stat().st_size:,} bytes, {network.variant}"
    )
    return 0
