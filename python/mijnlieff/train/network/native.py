"""The network in native code."""

from __future__ import annotations

import numpy as np

from mijnlieff._mijnlieff import Network, Variant
from mijnlieff.train.network import BoardNetwork, CellNetwork

__all__ = ["native_network"]


def native_network(network: BoardNetwork, variant: Variant) -> Network:
    """The same network in native code.

    Args:
        network: the network, on any device.
        variant: the game that it was made for.

    Raises:
        CheckpointError: a weight is not finite, or native code does not support the network.
    """
    weights = [parameter.detach().cpu().float().numpy() for parameter in network.parameters()]
    numbers = np.concatenate([weight.ravel() for weight in weights])
    blocks = len(network.blocks)
    if isinstance(network, CellNetwork):
        return Network.of_cells(variant, network.units, blocks, network.heads, numbers)
    return Network.symmetric(variant, network.channels, blocks, numbers)
