"""The policy-value networks.

`PolicyValueNetwork` shares its weights over the symmetries of a board, and `CellNetwork` between
its cells, on one board or on all that fit a canvas.
"""

from typing import Any

from mijnlieff.train.boards import Boards
from mijnlieff.train.config import TrainConfig
from mijnlieff.train.network.cells import CellNetwork
from mijnlieff.train.network.network import PolicyValueNetwork, masked_log_softmax

__all__ = [
    "CellNetwork",
    "PolicyValueNetwork",
    "TrainableNetwork",
    "masked_log_softmax",
    "new_network",
    "sizes_of",
]

TrainableNetwork = PolicyValueNetwork | CellNetwork


def new_network(boards: Boards, config: TrainConfig) -> TrainableNetwork:
    """A network with random weights from PyTorch's global generator.

    Args:
        boards: the boards of a run.
        config: its settings.
    """
    if config.network == "symmetric":
        return PolicyValueNetwork(boards.seen[0], config.width, config.blocks)
    sizes = config.width, config.blocks, config.heads
    scope = boards.seen[0] if boards.canvas is None else boards.canvas
    return CellNetwork(scope, *sizes, copies=boards.copies)


def sizes_of(network: TrainableNetwork) -> dict[str, Any]:
    """The settings from which `new_network` makes a network of these sizes.

    Args:
        network: the network.
    """
    if isinstance(network, CellNetwork):
        form, width = {"network": "cells", "heads": network.heads}, network.units
    else:
        form, width = {"network": "symmetric"}, network.channels * network.of_hidden.order
    return {**form, "width": width, "blocks": len(network.blocks)}
