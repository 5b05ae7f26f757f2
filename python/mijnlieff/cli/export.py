"""``mijnlieff export``: the network of a checkpoint as a file that plays without PyTorch."""

from __future__ import annotations

import argparse
from pathlib import Path

__all__ = ["EXAMPLES", "add_arguments", "run"]

EXAMPLES = ("runs/first --out agent.bin", "runs/first --out agent.bin --half")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
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
        help="the file to write; commands accept it as a policy, see `mijnlieff evaluate --help`",
    )
    parser.add_argument(
        "--half",
        action="store_true",
        help="round weights to 16 bits, for a file half as large",
    )


def run(args: argparse.Namespace) -> None:
    """Write the file, and print a summary of it.

    Raises:
        MissingExtraError: PyTorch is not installed.
        CheckpointError: the checkpoint is missing, damaged, or from another program.
        OSError: the file cannot be written.
    """
    from mijnlieff.train.extras import require_train_extra

    require_train_extra("torch")
    from mijnlieff.train.run.policy import export_checkpoint

    network = export_checkpoint(args.checkpoint, args.out, half=args.half)
    plays = network.variant or network.canvas
    print(
        f"{args.out}: {network.num_weights:,} weights, width {network.width}, "
        f"{network.blocks} blocks, {args.out.stat().st_size:,} bytes, {plays}"
    )
