"""A policy-value network for every board that fits a canvas: a convolution over the cells."""

from __future__ import annotations

import torch
from torch import Tensor

from mijnlieff.train.network.geometry import CanvasGeometry
from mijnlieff.train.network.trunk import CellTrunk

__all__ = ["CanvasNetwork"]


class CanvasNetwork(CellTrunk):
    """Logits for every action on a canvas and two values for the side to move.

    Where on the canvas the board lies makes no difference, and slots without a cell cost nothing.

    Attributes:
        height: rows of the canvas.
        width: columns of the canvas.
        copies: pieces of each type that each player starts with.
    """

    def __init__(
        self, height: int, width: int, copies: int, units: int, layers: int, heads: int
    ) -> None:
        """Draw random weights from PyTorch's global generator.

        Args:
            height: rows of the canvas.
            width: columns of the canvas.
            copies: pieces of each type that each player starts with.
            units: numbers for each cell in every layer, rounded up to a multiple of `heads`.
            layers: how many.
            heads: kernels of each layer; each serves an equal part of the units.
        """
        geometry = CanvasGeometry(height, width)
        super().__init__(geometry.num_offsets, units, layers, heads)
        self.height, self.width, self.copies = height, width, copies
        self.geometry = geometry

    def from_counts(self, counts: Tensor) -> Tensor:
        """Convert observations of counts to float.

        Args:
            counts: uint8 `(B, 12, H, W)`, with hands as counts; on any device.

        Returns:
            float32 `(B, 12, H, W)`, with hands as shares of the copies, on the network's device.
        """
        planes = counts.to(self.device).float()
        planes[:, 4:] /= self.copies
        return planes

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Evaluate positions.

        Args:
            observations: float32 `(B, 12, H, W)`; each has at least one cell.

        Returns:
            logits: float32 `(B, 4 * H * W + 1)`, not masked; 0 where there is no cell.
            values: float32 `(B, 2)` for the side to move: expected outcome (-1 to 1) and expected
                final margin in units of `MARGIN_UNIT` points.
        """
        planes = observations.flatten(2)
        count, _, slots = planes.shape
        with torch.no_grad():
            where, is_cell = _cells_of(planes[:, 3])
            size = is_cell.sum(dim=1, keepdim=True)
            sees, inputs = self._inputs(planes, where, is_cell)
            pairs = self.geometry.pairs(where, sees)
            allowed = inputs[:, :, 2].sum(dim=1, keepdim=True) / size
            hands = torch.cat([planes[:, 4:, 0], allowed], dim=1)
        kernels = self.offsets(pairs).permute(3, 0, 1, 2).contiguous()
        if not bool(is_cell.all()):
            kernels = kernels * is_cell[:, None, :]  # nothing is heard from padding
        placements, rest = self.evaluate(inputs, hands, kernels, is_cell)
        # Padding tokens get a slot behind the last one, which is cut off.
        target = torch.where(is_cell, where, slots)[:, :, None].expand(-1, -1, 4)
        placed = placements.new_zeros(count, slots + 1, 4).scatter(1, target, placements)
        logits = torch.cat([placed[:, :slots].transpose(1, 2).flatten(1), rest[:, :1]], dim=1)
        return logits, torch.cat([torch.tanh(rest[:, 1:2]), rest[:, 2:]], dim=1)

    def _inputs(self, planes: Tensor, where: Tensor, is_cell: Tensor) -> tuple[Tensor, Tensor]:
        """Which cells see each other, bool `(B, T, T)`, and the inputs of the trunk."""
        geometry = self.geometry
        own, opposing, _, exists = planes[:, :4].unbind(1)
        empty = exists - own - opposing
        lines = geometry.lines
        whole = exists @ lines == 3
        own_on, opposing_on = own @ lines, opposing @ lines
        on_canvas = [own, opposing, planes[:, 2]]
        for mine, theirs in ((own_on, opposing_on), (opposing_on, own_on)):
            for stones in (2, 1):
                alone = ((mine == stones) & (theirs == 0) & whole).float()
                on_canvas.append((alone @ lines.t()) * empty)
        at = where[:, None]
        features = torch.stack(on_canvas, dim=1)
        features = features.gather(2, at.expand(-1, features.shape[1], -1))
        runs = geometry.segments(exists).gather(2, at.expand(-1, 4, -1))
        same = runs[:, :, :, None] == runs[:, :, None, :]
        both = is_cell[:, :, None] & is_cell[:, None, :]
        other = both & ~torch.eye(where.shape[1], dtype=torch.bool, device=where.device)
        near = geometry.near[where[:, :, None], where[:, None, :]]
        straight, diagonal = same[:, 0] | same[:, 1], same[:, 2] | same[:, 3]
        reach = torch.stack([straight & other, diagonal & other, ~near & other, near & other], 1)
        free = empty.gather(1, where) * is_cell
        choices = (reach * free[:, None, None, :]).sum(dim=3)
        size = is_cell.sum(dim=1).view(-1, 1, 1)
        features = torch.cat([features, choices / size, (choices == 0).float()], dim=1)
        return (straight | diagonal) & both, (features * is_cell[:, None]).transpose(1, 2)


def _cells_of(exists: Tensor) -> tuple[Tensor, Tensor]:
    """The slots of the cells of each board, int64 `(B, T)`, and which are not padding, bool.

    Padding repeats slots without a cell.
    """
    most = int((exists > 0).sum(dim=1).max())
    where = torch.sort((exists <= 0).int(), dim=1, stable=True).indices[:, :most]
    return where, exists.gather(1, where) > 0
