"""``mijnlieff export``: the network of a checkpoint as a file that plays without PyTorch."""

from __future__ import annotations

import argparse
from pathlib import Path

from mijnlieff._util.output import note
from mijnlieff.policies.searches import SOLVE_BELOW, ending_options, play_options

__all__ = ["EXAMPLES", "add_arguments", "run"]

EXAMPLES = ("runs/first --out agent.bin", "runs/first --out agent.bin --half")
_SIMULATIONS = 64
"""Those of the players in the note."""


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
    from mijnlieff.train.play.policy import search_policy
    from mijnlieff.train.run.policy import export_checkpoint

    network, content = export_checkpoint(args.checkpoint, args.out, half=args.half)
    plays = network.variant or network.canvas
    print(
        f"{args.out}: {network.num_weights:,} weights, width {network.width}, "
        f"{network.blocks} blocks, {args.out.stat().st_size:,} bytes, {plays}"
    )
    # The file holds the network alone, not how its run searches.
    search = search_policy(network, content.config, _SIMULATIONS, 0).search
    if search != play_options(ending_options(_SIMULATIONS)):
        note(
            f"{args.out}:{_SIMULATIONS} searches differently from the run, and solves positions "
            f"with at most {SOLVE_BELOW} empty cells; in Python the run's player is\n"
            f"NetworkPolicy(Network.load({str(args.out)!r}), search={search!r})"
        )
