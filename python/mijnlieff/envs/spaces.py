"""The Gymnasium spaces of a variant."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from gymnasium.spaces import Box

if TYPE_CHECKING:
    from numpy.typing import DTypeLike

    from mijnlieff._mijnlieff import Variant

__all__ = ["observation_space"]

#: Own stones, opposing stones, allowed cells, cells that exist.
_CELL_PLANES = 4


def observation_space(
    variant: Variant, observation: str = "flat", dtype: DTypeLike = "float32"
) -> Box:
    """Return the space of one observation.

    Args:
        variant: the game.
        observation: ``"flat"``, ``"planes"`` or ``"packed"``.
        dtype: float32 or uint8; packed observations are always uint64.

    Returns:
        A box with exact bounds: hands are shares from 0 to 1 in float32, counts in uint8.

    Raises:
        ValueError: the layout does not exist.
        TypeError: another dtype.
    """
    cells = variant.board.num_cells
    if observation == "packed":
        return Box(0, np.iinfo(np.uint64).max, (), np.uint64)
    number = np.dtype(dtype)
    if number not in (np.float32, np.uint8):
        raise TypeError(f"observations have dtype float32 or uint8, not {number}")
    hand = variant.copies if number == np.uint8 else 1
    if observation == "flat":
        high = np.ones(3 * cells + 8, number)
        high[3 * cells :] = hand
    elif observation == "planes":
        high = np.ones((12, variant.board.height, variant.board.width), number)
        high[_CELL_PLANES:] = hand
    else:
        raise ValueError(
            f"unknown observation layout {observation!r}; choose planes, flat or packed"
        )
    return Box(np.zeros_like(high), high, dtype=number.type)
