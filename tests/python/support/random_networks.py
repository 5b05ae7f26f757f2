"""Networks in training with random weights, as the heads of new ones are 0."""

from __future__ import annotations

import torch

from mijnlieff import Canvas, Variant
from mijnlieff.train.network import CellNetwork


def random_network(
    scope: Variant | Canvas, *sizes: int, copies: int | None = None, seed: int = 0, std: float = 0.3
) -> CellNetwork:
    """A network of these sizes whose outputs are far from 0."""
    torch.manual_seed(seed)
    network = CellNetwork(scope, *sizes, copies=copies).eval()
    for weights in network.parameters():
        torch.nn.init.normal_(weights, std=std)
    return network
