"""The pieces and colors of the package's drawings, for the board of the widget."""

from __future__ import annotations

from functools import cache

from mijnlieff.render.pieces import stone
from mijnlieff.render.to_svg import shape_element
from mijnlieff.rules import Piece

__all__ = ["art"]

_RADIUS = 100.0


@cache
def art() -> dict[str, list[list[str]]]:
    """Return the drawings of the stones.

    Returns:
        ``{"stones": [[...], [...]]}``: for Light and Dark, SVG elements of each piece type, then of
        a plain stone. The center is (0, 0) and the radius 100.
    """
    return {"stones": [[_drawn(player, kind) for kind in [*Piece, -1]] for player in (0, 1)]}


def _drawn(player: int, piece: int) -> str:
    return "".join(map(shape_element, stone("stone", (0.0, 0.0), _RADIUS, player, piece)))
