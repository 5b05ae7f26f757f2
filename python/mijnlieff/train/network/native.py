"""The network in native code."""

from __future__ import annotations

import numpy as np

from mijnlieff import Variant
from mijnlieff._mijnlieff import Network
from mijnlieff.train.network.network import PolicyValueNetwork

__all__ = ["native_network"]


def native_network(network: PolicyValueNetwork, variant: Variant) -> Network:
    """The same network in native code.

    Args:
        network: the network, on any device.
        variant: the game that it was made for.

    Raises:
        CheckpointError: a weight is not finite, or native code does not support the network.
    """
    weights = [parameter.detach().cpu().float().numpy() for parameter in network.parameters()]
    numbers = np.concatenate([weight.ravel() for weight in weights])
    return Network.symmetric(variant, network.channels, len(network.blocks), numbers)
