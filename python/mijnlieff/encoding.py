"""Many positions as arrays: observations, action masks, and packed observations expanded again.

The layouts of observations are those of `Position.observation`.

>>> from mijnlieff import Position, encoding
>>> packed = encoding.observe_batch([Position()] * 3, "packed")
>>> encoding.expand_packed(packed).shape
(3, 56)
>>> encoding.mask_batch([Position()]).sum()
np.int64(48)
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from mijnlieff._mijnlieff import Variant, as_variant, mask_batch, observe_batch
from mijnlieff._util.arguments import check_choice
from mijnlieff.rules import VariantLike

__all__ = ["expand_packed", "mask_batch", "observe_batch"]

_NUM_SETS, _SET_BITS = 3, 16
_NUM_HANDS, _HAND_BITS = 8, 2
_HANDS_FROM = _NUM_SETS * _SET_BITS


def expand_packed(packed: Any, variant: VariantLike | None = None, layout: str = "flat") -> Any:
    """Expand packed observations to float32 observations in another layout.

    A packed observation is one uint64, seen by the side to move: bits 0 to 15 are the own stones
    (bit ``i`` for cell ``i``), 16 to 31 the opposing stones, 32 to 47 the cells allowed now, 48 to
    55 the own hand (two bits for the count of each type, Straight lowest), 56 to 63 the opposing
    hand. So a batch can move to another device with 8 bytes a position and be expanded there.

    Args:
        packed: uint64 ``(B,)`` or any other shape, as a NumPy array or a PyTorch tensor on any
            device; a tensor may also be int64 with the same bits.
        variant: the game; None is the standard game.
        layout: ``"flat"`` or ``"planes"``.

    Returns:
        float32 ``(..., 3 * num_cells + 8)`` or ``(..., 12, height, width)``, an array or a tensor
        on the same device.

    Raises:
        TypeError: `packed` does not hold 64-bit integers as above, or `variant` is not a
            variant.
        ValueError: the layout is neither flat nor planes.
        VariantError: the variant has more than 16 cells or 3 copies.
    """
    game = as_variant(variant)
    game.observation_shape("packed")  # raises for a variant that does not fit
    check_choice("layout", layout, ("flat", "planes"))
    torch = sys.modules.get("torch")  # a caller with a tensor has imported it
    if torch is not None and isinstance(packed, torch.Tensor):
        if packed.dtype not in (torch.uint64, torch.int64):
            raise TypeError(f"packed observations must be uint64 or int64, not {packed.dtype}")
        # PyTorch shifts int64 only; the sign bits that it shifts in are masked away.
        words = packed.view(torch.int64)
        return _expand(torch, words, game, layout, {"device": packed.device})
    words = np.asarray(packed)
    if words.dtype != np.uint64:
        raise TypeError(f"packed observations must be uint64, not {words.dtype}")
    return _expand(np, words.view(np.int64), game, layout, {})


def _expand(arrays: Any, words: Any, variant: Variant, layout: str, device: dict[str, Any]) -> Any:
    """Expand int64 `words` by the functions of `arrays`, which is NumPy or PyTorch."""
    board = variant.board
    sets = np.add.outer(_SET_BITS * np.arange(_NUM_SETS), np.arange(board.num_cells)).ravel()
    hands = _HANDS_FROM + _HAND_BITS * np.arange(_NUM_HANDS)
    sets, hands = (arrays.asarray(shifts, **device) for shifts in (sets, hands))
    last = words[..., None]
    cells = arrays.asarray(last >> sets & 1, dtype=arrays.float32)
    held = arrays.asarray(last >> hands & 3, dtype=arrays.float32) / variant.copies
    if layout == "flat":
        return arrays.concatenate([cells, held], axis=-1)
    shape, batch = variant.observation_shape("planes"), tuple(words.shape)
    num_planes, height, width = shape
    planes = arrays.zeros((*batch, num_planes, height * width), dtype=arrays.float32, **device)
    places = arrays.asarray([x + width * y for x, y in board.cells], **device)
    planes[..., :_NUM_SETS, places] = cells.reshape(*batch, _NUM_SETS, board.num_cells)
    planes[..., _NUM_SETS, places] = 1
    planes[..., -_NUM_HANDS:, :] = held[..., None]
    return planes.reshape(*batch, *shape)
