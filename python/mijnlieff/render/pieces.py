"""How stones and their signs are drawn."""

from __future__ import annotations

from mijnlieff.render.shapes import Circle, Shape, Stroke

__all__ = ["stone"]

_Line = tuple[tuple[float, float], ...]

_SIGNS: tuple[tuple[_Line, ...], ...] = (
    # + Straight
    (((-0.54, 0.0), (0.54, 0.0)), ((0.0, -0.54), (0.0, 0.54))),
    # x Diagonal
    (((-0.42, -0.42), (0.42, 0.42)), ((-0.42, 0.42), (0.42, -0.42))),
    # <> Pusher
    (((-0.18, -0.4), (-0.58, 0.0), (-0.18, 0.4)), ((0.18, -0.4), (0.58, 0.0), (0.18, 0.4))),
    # >< Puller
    (((-0.58, -0.4), (-0.18, 0.0), (-0.58, 0.4)), ((0.58, -0.4), (0.18, 0.0), (0.58, 0.4))),
)
"""The sign of each piece type, relative to the center, in radii of the stone."""

# Light and Dark differ in lightness, not hue, so that color-blind people can tell them apart.
_FACE = ("#fbf4e2", "#34303a")
_RIM = ("#8a6d3f", "#17141b")
_INNER = ("#e6d6b4", "#4d4756")
_SIGN = ("#3b2c1a", "#fbf4e2")
_SHADOW = "#94713f"


def stone(
    part: str,
    center: tuple[float, float],
    radius: float,
    player: int,
    piece: int,
    *,
    shadow: bool = False,
    fade_into: str | None = None,
) -> list[Shape]:
    """Return the shapes of one stone.

    Args:
        part: name of the stone's shapes; that of the sign ends in ``-sign``.
        center: middle of the stone.
        radius: outer radius.
        player: 0 Light, 1 Dark.
        piece: type 0..3; other numbers draw a stone without a sign.
        shadow: whether to draw a shadow below the stone.
        fade_into: background to blend the colors into, for a piece type with no pieces left.
    """

    def color(of: str) -> str:
        return of if fade_into is None else _faded(of, fade_into)

    x, y = center
    rim = 0.07 * radius
    shapes: list[Shape] = []
    if shadow:
        shapes.append(Circle(f"{part}-shadow", x, y + 0.09 * radius, radius, _SHADOW))
    shapes += [
        Circle(part, x, y, radius - rim / 2, color(_FACE[player]), color(_RIM[player]), rim),
        Circle(f"{part}-inner", x, y, 0.84 * radius, None, color(_INNER[player]), 0.05 * radius),
    ]
    if 0 <= piece < len(_SIGNS):
        lines = tuple(
            tuple((x + radius * dx, y + radius * dy) for dx, dy in line) for line in _SIGNS[piece]
        )
        shapes.append(Stroke(f"{part}-sign", lines, color(_SIGN[player]), 0.17 * radius))
    return shapes


def _faded(color: str, into: str) -> str:
    """Return a color mixed with four parts of a background, both as ``#rrggbb``."""
    pairs = zip(bytes.fromhex(color[1:]), bytes.fromhex(into[1:]), strict=True)
    return "#" + bytes(round(a + (b - a) * 0.8) for a, b in pairs).hex()
