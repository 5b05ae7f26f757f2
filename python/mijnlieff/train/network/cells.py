"""A policy-value network for one board, with a token for each cell."""

from __future__ import annotations

import copy
from collections.abc import Callable

import numpy as np
import torch
from torch import Tensor

from mijnlieff._mijnlieff import Network, Variant
from mijnlieff.train.network.features import TacticalFeatures
from mijnlieff.train.network.geometry import CanvasGeometry
from mijnlieff.train.network.inputs import FlatInputs
from mijnlieff.train.network.symmetry import SymmetryGroup
from mijnlieff.train.network.trunk import CELL_FEATURES, CellTrunk

__all__ = ["CellNetwork"]


class CellNetwork(FlatInputs, CellTrunk):
    """Logits for every action and two values for the side to move.

    It is the network for many boards (`mijnlieff.train.network.canvas`) on a single one, where all
    that follows from the board's shape is computed once. It learns more from a position than
    `PolicyValueNetwork`, and takes longer for it. It is not equivariant: positions should be learnt
    in all orientations.

    Attributes:
        pairs: int64 `(T, T)`, the row of `offsets` for what the first cell hears from the second.
    """

    pairs: Tensor

    def __init__(self, variant: Variant, units: int, layers: int, heads: int) -> None:
        """Draw random weights from PyTorch's global generator.

        Args:
            variant: the game, the only one that the network can play.
            units: numbers for each cell in every layer, rounded up to a multiple of `heads`.
            layers: how many.
            heads: kernels of each layer; each serves an equal part of the units.
        """
        board = variant.board
        geometry = CanvasGeometry(board.height, board.width)
        super().__init__(geometry.num_offsets, units, layers, heads)
        group = SymmetryGroup.of(variant)
        self.set_variant(variant)
        self.features = TacticalFeatures(variant, group)
        x, y = np.array(board.cells).T
        slots = torch.from_numpy(y * board.width + x)
        exists = torch.zeros(1, board.height * board.width)
        exists[0, slots] = 1.0
        runs = geometry.segments(exists)[0, :, slots]
        sees = (runs[:, :, None] == runs[:, None, :]).any(dim=0)
        self.register_buffer("pairs", geometry.pairs(slots, sees), persistent=False)

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Evaluate positions.

        Args:
            observations: float32 `(B, num_features)`, flat.

        Returns:
            logits: float32 `(B, num_actions)`, not masked.
            values: float32 `(B, 2)` for the side to move: expected outcome (-1 to 1) and expected
                final margin in units of `MARGIN_UNIT` points.
        """
        cells = len(self.pairs)
        with torch.no_grad():
            extended = self.features(observations).t()
            hands = extended[:, 3 * cells : 3 * cells + 8]
            of_cells = torch.cat([extended[:, : 3 * cells], extended[:, 3 * cells + 8 :]], dim=1)
            inputs = of_cells.view(-1, CELL_FEATURES, cells).transpose(1, 2).contiguous()
            allowed = inputs[:, :, 2].mean(dim=1, keepdim=True)
            hands = torch.cat([hands, allowed], dim=1)
        kernels = self.offsets(self.pairs).permute(2, 0, 1)
        placed, rest = self.evaluate(inputs, hands, kernels)
        logits = torch.cat([placed.transpose(1, 2).flatten(1), rest[:, :1]], dim=1)
        return logits, torch.cat([torch.tanh(rest[:, 1:2]), rest[:, 2:]], dim=1)

    def to_native(self) -> Network:
        """See `Network.from_torch`."""
        sizes = self.units, len(self.blocks), self.heads
        return Network.of_cells(self.variant, *sizes, self.weights())

    def frozen(self) -> Callable[[Tensor], tuple[Tensor, Tensor]]:
        """A function with the current weights, which later training does not change.

        Returns:
            A function of float32 observations `(B, num_features)`, without gradients.
        """
        frozen = copy.deepcopy(self)
        frozen.requires_grad_(False)
        return frozen.forward
