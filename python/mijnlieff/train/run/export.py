"""Exports the network of a checkpoint to a file that is played without PyTorch."""

from __future__ import annotations

import os

from mijnlieff._mijnlieff import Network
from mijnlieff.errors import CheckpointError
from mijnlieff.train.boards import Boards
from mijnlieff.train.network.canvas import CanvasNetwork
from mijnlieff.train.run.policy import network_from_checkpoint

__all__ = ["export_checkpoint"]


def export_checkpoint(checkpoint: str | os.PathLike[str], out: str | os.PathLike[str]) -> Network:
    """Write the network of a checkpoint to a file, which is replaced whole or not at all.

    Args:
        checkpoint: a checkpoint of `mijnlieff train`, or the run's folder.
        out: the file to write.

    Returns:
        The network that was written.

    Raises:
        CheckpointError: the checkpoint is missing, truncated, damaged or not a checkpoint, or its
            network is for many boards.
        OutputError: the file cannot be written.
    """
    trained, content = network_from_checkpoint(checkpoint)
    if isinstance(content.variant, Boards) or isinstance(trained, CanvasNetwork):
        raise CheckpointError(
            f"{checkpoint} holds a network for many boards, which only PyTorch evaluates: play "
            "with mijnlieff.load_policy"
        )
    network = Network.from_torch(trained)
    network.save(out)
    return network
