"""Expands packed observations to arrays or tensors, on any device."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from mijnlieff._mijnlieff import Variant
from mijnlieff._util.choices import check_choice
from mijnlieff._util.types import check_type

__all__ = ["expand_packed"]

_SET_BITS = 16
_HANDS_FROM = 48


def expand_packed(packed: Any, variant: Variant | None = None, layout: str = "flat") -> Any:
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
            `Variant`.
        ValueError: the layout is neither flat nor planes.
        VariantError: the variant has more than 16 cells or 3 copies.
    """
    variant = Variant() if variant is None else variant
    check_type("variant", variant, Variant)
    variant.observation_shape("packed")  # raises for a variant that does not fit
    check_choice("layout", layout, ("flat", "planes"))
    torch = sys.modules.get("torch")  # a caller with a tensor has imported it
    if torch is not None and isinstance(packed, torch.Tensor):
        return _expand_torch(torch, packed, variant, layout)
    words = np.asarray(packed)
    if words.dtype != np.uint64:
        raise TypeError(f"packed observations must be uint64, not {words.dtype}")
    sets, hands = _shifts(variant.board.num_cells)
    one, three = np.uint64(1), np.uint64(3)
    cells = (words[..., None] >> sets.astype(np.uint64) & one).astype(np.float32)
    held = (words[..., None] >> hands.astype(np.uint64) & three).astype(np.float32)
    held /= np.float32(variant.copies)
    if layout == "flat":
        return np.concatenate([cells, held], axis=-1)
    board = variant.board
    planes = np.zeros((*words.shape, 12, board.height * board.width), np.float32)
    places = np.asarray([x + board.width * y for x, y in board.cells])
    planes[..., :3, places] = cells.reshape(*words.shape, 3, board.num_cells)
    planes[..., 3, places] = 1
    planes[..., 4:, :] = held[..., None]
    return planes.reshape(*words.shape, 12, board.height, board.width)


def _shifts(num_cells: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Return the lowest bit of each entry: for the three sets of cells, and for the two hands."""
    sets = np.add.outer(_SET_BITS * np.arange(3), np.arange(num_cells)).ravel()
    return sets, _HANDS_FROM + 2 * np.arange(8)


def _expand_torch(torch: Any, packed: Any, variant: Variant, layout: str) -> Any:
    if packed.dtype not in (torch.uint64, torch.int64):
        raise TypeError(f"packed observations must be uint64 or int64, not {packed.dtype}")
    # PyTorch shifts int64 only; the sign bits that it shifts in are masked away.
    words = packed.view(torch.int64).unsqueeze(-1)
    sets, hands = (
        torch.as_tensor(shifts, device=packed.device) for shifts in _shifts(variant.board.num_cells)
    )
    cells = (words >> sets & 1).to(torch.float32)
    held = (words >> hands & 3).to(torch.float32) / variant.copies
    if layout == "flat":
        return torch.cat([cells, held], dim=-1)
    board, shape = variant.board, packed.shape
    size = (*shape, 12, board.height * board.width)
    planes = torch.zeros(size, dtype=torch.float32, device=packed.device)
    places = torch.as_tensor([x + board.width * y for x, y in board.cells], device=packed.device)
    planes[..., :3, places] = cells.reshape(*shape, 3, board.num_cells)
    planes[..., 3, places] = 1
    planes[..., 4:, :] = held.unsqueeze(-1)
    return planes.reshape(*shape, 12, board.height, board.width)
