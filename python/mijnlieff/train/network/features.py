"""Tactical input features, computed from an observation.

They are exact counts over the lines of the board, which decide most endings. A network would learn
them only slowly and approximately.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from mijnlieff._mijnlieff import Board, Position, Variant
from mijnlieff.train.network.symmetry import SymmetryGroup

__all__ = ["TacticalFeatures"]


class TacticalFeatures(nn.Module):
    """Extends flat observations; without trainable weights.

    Per cell it adds, for each side, the points that a stone there would score, and the number of
    lines of three through the cell that hold one stone of that side and none of the other. Per
    placement it adds the share of the board's cells that the opponent would be allowed, and whether
    there would be none, which forces a pass.

    Attributes:
        table: int64 `(order, size)`, the permutation of extended observations by each symmetry,
            see `SymmetryGroup`.
    """

    lines: Tensor
    reach: Tensor

    def __init__(self, variant: Variant, group: SymmetryGroup) -> None:
        """Compute the lines and the reach of every placement.

        Args:
            variant: the game.
            group: the symmetries of its board.
        """
        super().__init__()
        self.num_cells = variant.board.num_cells
        self.register_buffer("lines", torch.from_numpy(_lines(variant.board)), persistent=False)
        self.register_buffer("reach", torch.from_numpy(_reach(variant.board)), persistent=False)
        self.table = _table(group, self.num_cells)

    def forward(self, observations: Tensor) -> Tensor:
        """Extend observations.

        Args:
            observations: float32 `(B, 3 * num_cells + 8)`, flat.

        Returns:
            float32 `(size, B)`; the observations come first.
        """
        n = self.num_cells
        observations = observations.t()
        own, opposing = observations[:n], observations[n : 2 * n]
        empty = 1.0 - own - opposing
        own_on, opposing_on = self.lines.t() @ own, self.lines.t() @ opposing
        added = []
        for mine, theirs in ((own_on, opposing_on), (opposing_on, own_on)):
            alone = theirs == 0
            for count in (2, 1):
                added.append((self.lines @ ((mine == count) & alone).float()) * empty)
        choices = self.reach.t() @ empty
        return torch.cat([observations, *added, choices / n, (choices == 0).float()])


def _lines(board: Board) -> NDArray[np.float32]:
    """Float32 `(num_cells, lines)`: 1 where a cell is on a line.

    A run of n cells scores n - 2 points: one for each three consecutive cells in it.
    """
    number = {cell: index for index, cell in enumerate(board.cells)}
    lines = []
    for x, y in board.cells:
        for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
            line = [(x + k * dx, y + k * dy) for k in range(3)]
            if all(cell in number for cell in line):
                lines.append([number[cell] for cell in line])
    incidence = np.zeros((board.num_cells, len(lines)), dtype=np.float32)
    for index, members in enumerate(lines):
        incidence[members, index] = 1.0
    return incidence


def _reach(board: Board) -> NDArray[np.float32]:
    """Float32 `(num_cells, 4 * num_cells)`: 1 where a placement lets the opponent place next.

    On an empty board, the allowed cells after a placement are all cells that it reaches.
    """
    n = board.num_cells
    start = Position(Variant(board, "anywhere", 1))
    after = [start.play(action).observation("flat")[2 * n : 3 * n] for action in range(4 * n)]
    return np.stack(after, axis=1).astype(np.float32)


def _table(group: SymmetryGroup, num_cells: int) -> NDArray[np.int64]:
    cells = group.features[:, :num_cells]
    placements = group.actions[:, :-1]
    parts = [cells, cells, cells, cells, placements, placements]
    columns = [group.features]
    for part in parts:
        columns.append(part + sum(column.shape[1] for column in columns))
    return np.concatenate(columns, axis=1)
