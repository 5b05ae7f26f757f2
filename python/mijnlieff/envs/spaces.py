"""The Gymnasium spaces of a variant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from gymnasium.spaces import Box

from mijnlieff._mijnlieff import Position

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from mijnlieff._mijnlieff import Variant

__all__ = ["observation_space"]

#: Own stones, opposing stones, allowed cells, cells of the board.
_CELL_PLANES = 4


def observation_space(
    variant: Variant, observation: str = "flat", dtype: DTypeLike = "float32"
) -> Box:
    """Return the space of one observation.

    Args:
        variant: the variant of the game.
        observation: ``"flat"``, ``"planes"`` or ``"packed"``.
        dtype: float32 or uint8; packed observations are always uint64.

    Returns:
        A box with exact bounds: hands are fractions from 0 to 1 in float32, and counts in uint8.

    Raises:
        ValueError: the layout does not exist.
        TypeError: the dtype is neither float32 nor uint8.
        VariantError: packed observations cannot hold this variant.
    """
    # Raises for a layout or dtype that does not exist.
    example = Position(variant).observation(observation, dtype)  # type: ignore[arg-type]
    if observation == "packed":
        return Box(0, np.iinfo(np.uint64).max, (), np.uint64)
    high = np.ones_like(example)
    hands = 3 * variant.board.num_cells if observation == "flat" else _CELL_PLANES
    high[hands:] = variant.copies if high.dtype == np.uint8 else 1
    return Box(np.zeros_like(high), high, dtype=high.dtype.type)
