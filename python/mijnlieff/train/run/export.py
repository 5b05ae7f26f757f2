"""Exports the network of a checkpoint to a file that is played without PyTorch."""

from __future__ import annotations

import os

from mijnlieff._mijnlieff import Network
from mijnlieff.train.run.policy import network_from_checkpoint

__all__ = ["export_checkpoint"]


def export_checkpoint(checkpoint: str | os.PathLike[str], out: str | os.PathLike[str]) -> Network:
    """Write the network of a checkpoint to a file, which is replaced whole or not at all.

    A network for several boards plays all that fit its canvas.

    Args:
        checkpoint: a checkpoint of `mijnlieff train`, or the run's folder.
        out: the file to write.

    Returns:
        The network that was written.

    Raises:
        CheckpointError: the checkpoint is missing, truncated, damaged or not a checkpoint.
        OSError: the file cannot be written.
    """
    trained, _ = network_from_checkpoint(checkpoint)
    network = Network.from_torch(trained)
    network.save(out)
    return network
