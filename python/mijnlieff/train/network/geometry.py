"""Which cells of a canvas see each other, and how they lie to each other.

Everything is computed from the plane of existing cells, so one network serves every board that fits
the canvas.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

__all__ = ["CanvasGeometry", "CellTables"]

_DIRECTIONS = ((1, 0), (0, 1), (1, 1), (1, -1))
"""Rows, columns and both diagonals, as steps ``(dx, dy)``."""


@dataclass(frozen=True)
class CellTables:
    """What the shapes of boards say about their cells.

    There are N boards, as many as positions or only one, and T cells. Boards with fewer cells are
    padded: padding repeats slots without a cell.

    Attributes:
        where: int64 `(N, T)`, the slot of each cell.
        is_cell: bool `(N, T)`, False for padding.
        size: float32 `(N, 1)`, the number of cells.
        lines: float32 `(N, T, L)`, 1 where a cell is on one of the board's lines of three.
        reach: float32 `(N, 4, T, T)`, 1 where a piece of each type on the first cell points to the
            second.
        pairs: int64 `(N, T, T)`, how the second cell lies to the first, see
            `CanvasGeometry.num_offsets`.
    """

    where: Tensor
    is_cell: Tensor
    size: Tensor
    lines: Tensor
    reach: Tensor
    pairs: Tensor

    def to(self, device: torch.device) -> CellTables:
        """The same tables on a device."""
        if self.where.device == device:
            return self
        parts = {part.name: getattr(self, part.name) for part in dataclasses.fields(self)}
        return CellTables(**{name: part.to(device) for name, part in parts.items()})

    def inputs(self, own: Tensor, opposing: Tensor, allowed: Tensor) -> tuple[Tensor, Tensor]:
        """What a network is told besides the hands.

        Args:
            own: float32 `(B, T)`, 1 where a stone of the side to move lies.
            opposing: the same for the other side.
            allowed: 1 where a stone may be placed now.

        Returns:
            The features of cells, float32 `(B, T, CELL_FEATURES)`, 0 for padding; and the margin so
            far for the side to move, in points, `(B, 1)`.
        """
        empty = self.is_cell.float() - own - opposing
        own_on, opposing_on = ((stones[:, None] @ self.lines)[:, 0] for stones in (own, opposing))
        features = [own, opposing, allowed]
        for mine, theirs in ((own_on, opposing_on), (opposing_on, own_on)):
            for stones in (2, 1):
                alone = ((mine == stones) & (theirs == 0)).float()
                features.append((self.lines @ alone[:, :, None])[:, :, 0] * empty)
        choices = (self.reach * empty[:, None, None]).sum(dim=3)
        by_piece = torch.cat([choices / self.size[:, :, None], (choices == 0).float()], dim=1)
        found = torch.cat([torch.stack(features, dim=1), by_piece], dim=1)
        cells = (found * self.is_cell[:, None]).transpose(1, 2).contiguous()
        points = (own_on == 3).float() - (opposing_on == 3).float()
        return cells, points.sum(dim=1, keepdim=True)


class CanvasGeometry(nn.Module):
    """Tables of a canvas, without trainable weights.

    Slots are numbered along the rows, the lowest row first.

    Attributes:
        height: rows of the canvas.
        width: columns of the canvas.
        num_offsets: ways in which a slot can lie to another one, that it sees or not.
        lines: float32 `(H * W, L)`, 1 where a slot is on one of the lines of three.
        order: int64 `(4 * H * W,)`, slots in the order of the rows, columns and diagonals.
        rank: int64 `(4 * H * W,)`, the inverse of `order`.
        starts: int64 `(4, H * W)`, 1 where a row, column or diagonal starts in `order`.
        offsets: int64 `(H * W, H * W)`, the number of the offset between two slots.
        near: bool `(H * W, H * W)`, whether two slots touch, also at a corner.
    """

    lines: Tensor
    order: Tensor
    rank: Tensor
    starts: Tensor
    offsets: Tensor
    near: Tensor

    def __init__(self, height: int, width: int) -> None:
        """Compute the tables.

        Args:
            height: rows of the canvas.
            width: columns of the canvas.
        """
        super().__init__()
        self.height, self.width = height, width
        y, x = np.divmod(np.arange(height * width), width)
        dy, dx = y[None, :] - y[:, None], x[None, :] - x[:, None]
        offsets = (dy + height - 1) * (2 * width - 1) + dx + width - 1
        self.num_offsets = 2 * (2 * height - 1) * (2 * width - 1)
        orders = [_runs(height, width, step) for step in _DIRECTIONS]
        order = np.stack([slots for slots, _ in orders])
        tables = {
            "lines": _lines_of_three(height, width),
            "order": order.reshape(-1),
            "rank": np.argsort(order, axis=1).reshape(-1),
            "starts": np.stack([starts for _, starts in orders]),
            "offsets": offsets,
            "near": np.maximum(abs(dy), abs(dx)) == 1,
        }
        for name, table in tables.items():
            self.register_buffer(name, torch.from_numpy(table), persistent=False)

    def tables(self, exists: Tensor) -> CellTables:
        """The tables of boards.

        Args:
            exists: float32 `(N, H * W)`, 1 where the board has a cell, which it has somewhere.
        """
        most = int((exists > 0).sum(dim=1).max())
        where = torch.sort((exists <= 0).int(), dim=1, stable=True).indices[:, :most]
        is_cell = exists.gather(1, where) > 0
        whole = exists @ self.lines == 3
        lines = self.lines[where] * whole[:, None] * is_cell[:, :, None]
        runs = self.segments(exists).gather(2, where[:, None].expand(-1, 4, -1))
        same = runs[:, :, :, None] == runs[:, :, None, :]
        both = is_cell[:, :, None] & is_cell[:, None, :]
        other = both & ~torch.eye(most, dtype=torch.bool, device=where.device)
        near = self.near[where[:, :, None], where[:, None, :]]
        straight, diagonal = same[:, 0] | same[:, 1], same[:, 2] | same[:, 3]
        reach = torch.stack([straight & other, diagonal & other, ~near & other, near & other], 1)
        return CellTables(
            where=where,
            is_cell=is_cell,
            size=is_cell.sum(dim=1, keepdim=True).float(),
            lines=lines,
            reach=reach.float(),
            pairs=self.pairs(where, (straight | diagonal) & both),
        )

    def segments(self, exists: Tensor) -> Tensor:
        """The runs of cells without a gap that each slot belongs to.

        Args:
            exists: float32 `(B, H * W)`, 1 where the board has a cell.

        Returns:
            int64 `(B, 4, H * W)`: two cells in the same row (column, diagonal, other diagonal)
            see each other if and only if they have the same number there.
        """
        count, slots = exists.shape
        gaps = (exists == 0).long()[:, self.order].view(count, 4, slots)
        runs = (gaps + self.starts).cumsum(dim=2)
        return runs.gather(2, self.rank.view(1, 4, slots).expand(count, 4, slots))

    def pairs(self, where: Tensor, sees: Tensor) -> Tensor:
        """The number of the way in which each cell lies to each other one.

        Args:
            where: int64 `(..., T)`, slots.
            sees: bool `(..., T, T)`, whether a stone on one would reach the other along a line
                without a gap.

        Returns:
            int64 `(..., T, T)`, less than `num_offsets`.
        """
        return 2 * self.offsets[where[..., :, None], where[..., None, :]] + sees.long()


def _runs(
    height: int, width: int, step: tuple[int, int]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The slots line after line in a direction, and 1 for each that starts a line."""
    (dx, dy), (y, x) = step, np.divmod(np.arange(height * width), width)
    line = x * dy - y * dx
    order = np.lexsort((x * dx + y * dy, line))
    starts = np.diff(line[order], prepend=line.min() - 1) != 0
    return order, starts.astype(np.int64)


def _lines_of_three(height: int, width: int) -> NDArray[np.float32]:
    """Float32 `(H * W, L)`: a run of n stones scores one point for each three in a row."""
    columns = []
    for dx, dy in _DIRECTIONS:
        for y in range(height):
            for x in range(width):
                line = [(x + k * dx, y + k * dy) for k in range(3)]
                if all(0 <= i < width and 0 <= j < height for i, j in line):
                    column = np.zeros(height * width, dtype=np.float32)
                    column[[j * width + i for i, j in line]] = 1.0
                    columns.append(column)
    return np.stack(columns, axis=1) if columns else np.zeros((height * width, 0), np.float32)
