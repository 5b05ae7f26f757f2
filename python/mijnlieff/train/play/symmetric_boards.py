"""Where the cells of many boards lie on a canvas, in each of their eight orientations."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor

from mijnlieff._mijnlieff import Variant

__all__ = ["TURNS", "SymmetricBoards"]

TURNS = 8
"""The symmetries of the square: four rotations, and their mirror images."""


class SymmetricBoards:
    """Puts observations and actions of boards onto a square canvas.

    Attributes:
        side: height and width of the canvas.
        cells: the most cells of a board; boards with fewer are padded.
    """

    def __init__(self, variants: Sequence[Variant], side: int) -> None:
        """Compute the slots of every cell.

        Args:
            variants: at least one, all with the same number of copies.
            side: height and width of a canvas that holds every board in every orientation.
        """
        self.side = side
        self.cells = max(one.board.num_cells for one in variants)
        # Padding gets a slot behind the last one.
        slots = np.full((len(variants), TURNS, self.cells), side * side, dtype=np.int64)
        for number, variant in enumerate(variants):
            cells = np.array(variant.board.cells)
            for turn in range(TURNS):
                moved = cells[:, ::-1] if turn & 1 else cells
                moved = moved * (-1 if turn & 2 else 1, -1 if turn & 4 else 1)
                moved = moved - moved.min(axis=0)
                slots[number, turn, : len(cells)] = moved[:, 1] * side + moved[:, 0]
        self._slots = torch.from_numpy(slots)

    @property
    def num_features(self) -> int:
        """Numbers in a padded observation: own, opposing and allowed cells, and both hands."""
        return 3 * self.cells + 8

    @property
    def num_actions(self) -> int:
        """Actions of a board, padded."""
        return 4 * self.cells + 1

    def observations(self, boards: Tensor, turns: Tensor, flat: Tensor) -> Tensor:
        """Observations on the canvas.

        Args:
            boards: int64 `(B,)`, the number of the variant.
            turns: int64 `(B,)`, the orientation, 0 to 7.
            flat: uint8 `(B, num_features)`, hands as counts.

        Returns:
            uint8 `(B, 12, side, side)`, hands as counts.
        """
        count, area = len(boards), self.side**2
        slots = self._slots[boards, turns]
        planes = flat.new_zeros(count, 4, area + 1)
        by_cell = flat[:, : 3 * self.cells].view(count, 3, self.cells)
        planes[:, :3].scatter_(2, slots[:, None].expand(-1, 3, -1), by_cell)
        planes[:, 3].scatter_(1, slots, 1)
        hands = flat[:, 3 * self.cells :, None].expand(-1, -1, area)
        return torch.cat([planes[:, :, :area], hands], dim=1).view(count, 12, self.side, self.side)

    def actions(self, boards: Tensor, turns: Tensor, numbers: Tensor) -> Tensor:
        """Numbers for each action, such as a mask, on the canvas.

        Args:
            boards: int64 `(B,)`, the number of the variant.
            turns: int64 `(B,)`, the orientation, 0 to 7.
            numbers: `(B, num_actions)`, the pass last.

        Returns:
            `(B, 4 * side * side + 1)`, 0 where there is no cell.
        """
        count, area = len(boards), self.side**2
        slots = self._slots[boards, turns][:, None].expand(-1, 4, -1)
        placed = numbers.new_zeros(count, 4, area + 1)
        placed.scatter_(2, slots, numbers[:, :-1].view(count, 4, self.cells))
        return torch.cat([placed[:, :, :area].flatten(1), numbers[:, -1:]], dim=1)
