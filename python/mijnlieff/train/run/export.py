"""From a checkpoint, which only PyTorch reads, to a file that `ExportedPolicy` plays by."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from mijnlieff import Variant
from mijnlieff._mijnlieff import Network
from mijnlieff.errors import OutputError
from mijnlieff.train.network import PolicyValueNetwork
from mijnlieff.train.run.policy import network_from_checkpoint

__all__ = ["export_checkpoint", "native_network"]


def native_network(network: PolicyValueNetwork, variant: Variant) -> Network:
    """The same network for native code.

    Args:
        network: of any device.
        variant: that it was made for.

    Raises:
        CheckpointError: a weight is not finite, or the native code knows no such network.
    """
    weights = [parameter.detach().cpu().float().numpy() for parameter in network.parameters()]
    numbers = np.concatenate([weight.ravel() for weight in weights])
    return Network.from_weights(variant, network.channels, len(network.blocks), numbers)


def export_checkpoint(checkpoint: str | os.PathLike[str], out: str | os.PathLike[str]) -> Network:
    """Write the network of a checkpoint as a file of its own, replacing it whole or not at all.

    Args:
        checkpoint: of `mijnlieff train`, or the run's folder.
        out: the file to write.

    Returns:
        What was written.

    Raises:
        CheckpointError: the checkpoint is missing, truncated, damaged or foreign.
        OutputError: the file cannot be written.
    """
    trained, content = network_from_checkpoint(checkpoint)
    network = native_network(trained, content.variant)
    path = Path(out)
    beside = path.with_name(path.name + ".part")
    try:
        beside.write_bytes(network.to_bytes())
        beside.replace(path)
    except OSError as error:
        raise OutputError(f"cannot write {path}: {error.strerror}") from error
    return network
