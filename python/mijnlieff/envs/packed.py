"""Packed observations as arrays, on whatever device holds them."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from mijnlieff._mijnlieff import Variant

__all__ = ["expand_packed"]

_SET_BITS = 16
_HANDS_FROM = 48


def expand_packed(packed: Any, variant: Variant | None = None, layout: str = "flat") -> Any:
    """Expand packed observations to what ``layout`` would have given in float32.

    A packed observation is one uint64, seen by the side to move: bits 0 to 15 are the own stones
    (bit ``i`` for cell ``i``), 16 to 31 the opposing stones, 32 to 47 the cells allowed now, 48 to
    55 the own hand (two bits for the count of each type, Straight lowest), 56 to 63 the opposing
    hand. So a batch moves to another device in 8 bytes a position and becomes numbers there.

    Args:
        packed: uint64 ``(B,)`` or any other shape, as a NumPy array or a PyTorch tensor on any
            device; a tensor may also be int64 with the same bits.
        variant: the game; None is the standard game.
        layout: ``"flat"`` or ``"planes"``.

    Returns:
        float32 ``(..., 3 * num_cells + 8)`` or ``(..., 12, height, width)``, an array or a tensor
        on the same device.

    Raises:
        TypeError: not 64-bit integers as above, or `variant` is not a `Variant`.
        ValueError: another layout.
        VariantError: the variant has more than 16 cells or 3 copies.
    """
    variant = Variant() if variant is None else variant
    if not isinstance(variant, Variant):
        raise TypeError(f"variant must be a Variant, not {variant!r}")
    variant.observation_shape("packed")  # refuses variants that do not fit
    if layout not in ("flat", "planes"):
        raise ValueError(f"unknown layout {layout!r}; choose flat or planes")
    torch = sys.modules.get("torch")  # a tensor exists only once it is imported
    if torch is not None and isinstance(packed, torch.Tensor):
        return _expand_torch(torch, packed, variant, layout)
    words = np.asarray(packed)
    if words.dtype != np.uint64:
        raise TypeError(f"packed observations are uint64, not {words.dtype}")
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
    """Return the lowest bit of each number: of the three sets of cells, and of the two hands."""
    sets = np.add.outer(_SET_BITS * np.arange(3), np.arange(num_cells)).ravel()
    return sets, _HANDS_FROM + 2 * np.arange(8)


def _expand_torch(torch: Any, packed: Any, variant: Variant, layout: str) -> Any:
    if packed.dtype not in (torch.uint64, torch.int64):
        raise TypeError(f"packed observations are uint64 or int64, not {packed.dtype}")
    # PyTorch shifts int64 only; the sign it draws in from above is masked away.
    words = packed.view(torch.int64).unsqueeze(-1)
    sets, hands = (
        torch.as_tensor(shifts, device=packed.device) for shifts in _shifts(variant.board.num_cells)
    )
    cells = (words >> sets & 1).to(torch.float32)
    held = (words >> hands & 3).to(torch.float32) / variant.copies
    if layout == "flat":
        return torch.cat([cells, held], dim=-1)
    board, shape = variant.board, packed.shape
    planes = torch.zeros((*shape, 12, board.height * board.width), device=packed.device)
    places = torch.as_tensor([x + board.width * y for x, y in board.cells], device=packed.device)
    planes[..., :3, places] = cells.reshape(*shape, 3, board.num_cells)
    planes[..., 3, places] = 1
    planes[..., 4:, :] = held.unsqueeze(-1)
    return planes.reshape(*shape, 12, board.height, board.width)
