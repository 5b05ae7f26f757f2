"""The policy-value networks for one board.

`PolicyValueNetwork` shares its weights over the symmetries of the board, and `CellNetwork` between
its cells.
"""

from typing import Any

from mijnlieff._mijnlieff import Variant
from mijnlieff.train.config import TrainConfig
from mijnlieff.train.network.cells import CellNetwork
from mijnlieff.train.network.network import PolicyValueNetwork, masked_log_softmax

__all__ = [
    "BoardNetwork",
    "CellNetwork",
    "PolicyValueNetwork",
    "masked_log_softmax",
    "new_network",
    "sizes_of",
]

BoardNetwork = PolicyValueNetwork | CellNetwork


def new_network(variant: Variant, config: TrainConfig) -> BoardNetwork:
    """A network with random weights from PyTorch's global generator.

    Args:
        variant: the game.
        config: the settings of a run.
    """
    if config.algo == "alphazero" and config.network == "cells":
        return CellNetwork(variant, config.width, config.blocks, config.heads)
    return PolicyValueNetwork(variant, config.width, config.blocks)


def sizes_of(network: BoardNetwork) -> dict[str, Any]:
    """The settings of AlphaZero from which `new_network` makes a network of these sizes.

    Args:
        network: the network.
    """
    if isinstance(network, CellNetwork):
        form, width = {"network": "cells", "heads": network.heads}, network.units
    else:
        form, width = {"network": "symmetric"}, network.channels * network.of_hidden.order
    return {**form, "width": width, "blocks": len(network.blocks)}
