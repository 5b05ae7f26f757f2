"""The size of a drawing in pixels."""

from __future__ import annotations

from typing import SupportsIndex

from mijnlieff._util.arguments import integer
from mijnlieff.render.shapes import Scene

__all__ = ["LARGEST", "pixels", "size_of"]

_SMALLEST = 32
LARGEST = 8192
"""The longest side of a drawing, in pixels."""
_LARGEST_UNASKED = 1280


def size_of(size: SupportsIndex | None) -> int | None:
    """Return the length of a drawing's longer side in pixels, after checking it.

    Args:
        size: the length, or None for the natural size.

    Raises:
        TypeError: ``size`` is not an integer.
        ValueError: ``size`` is out of 32..8192.
    """
    if size is None:
        return None
    number = integer("size", size)
    if not _SMALLEST <= number <= LARGEST:
        raise ValueError(f"size must be {_SMALLEST} to {LARGEST} pixels, not {number}")
    return number


def pixels(drawing: Scene, size: SupportsIndex | None) -> tuple[int, int]:
    """Return width and height in pixels.

    Args:
        drawing: the drawing.
        size: length of the longer side, or None for the natural size: 72 pixels a cell, or less if
            the drawing would be longer than 1,280 pixels.

    Raises:
        TypeError, ValueError: as in `size_of`.
    """
    longer = max(drawing.width, drawing.height)
    wanted = size_of(size)
    if wanted is None:
        wanted = min(round(longer), _LARGEST_UNASKED)
    factor = wanted / longer
    return max(1, round(drawing.width * factor)), max(1, round(drawing.height * factor))
