"""The symmetries of a board as a group of permutations of observations and actions.

A rotated or mirrored game is the same game, so positions are learned in every orientation (eight on
the square).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import Variant

__all__ = ["SymmetryGroup"]


@dataclass(frozen=True, slots=True)
class SymmetryGroup:
    """How observations and actions are permuted when the board is transformed.

    Row g of every table holds source indices: `transformed = original[table[g]]` is the sequence
    after symmetry g, which moves entry `table[g, i]` to i.

    Attributes:
        features: int64 `(order, num_features)`, for flat observations.
        actions: int64 `(order, num_actions)`, for masks and logits.
    """

    features: NDArray[np.int64]
    actions: NDArray[np.int64]

    @property
    def order(self) -> int:
        """Number of symmetries, the identity included."""
        return len(self.actions)

    @classmethod
    def of(cls, variant: Variant) -> SymmetryGroup:
        """Compute the tables of a variant.

        Args:
            variant: the game; a board without symmetry has a group of one.
        """
        # Symmetries that move every cell alike, as all do on a single cell, count once.
        cells, first = np.unique(np.asarray(variant.board.symmetries), axis=0, return_index=True)
        order, num_cells = cells.shape
        inverses = np.argsort(cells, axis=1)
        hands = np.broadcast_to(np.arange(3 * num_cells, 3 * num_cells + 8), (order, 8))
        planes = [inverses + plane * num_cells for plane in range(3)]
        return cls(
            features=np.concatenate([*planes, hands], axis=1),
            actions=np.argsort(np.asarray(variant.action_symmetries)[first], axis=1),
        )
