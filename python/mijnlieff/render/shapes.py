"""The primitive shapes of a drawing.

All colors are opaque ``#rrggbb``, so a backend only has to paint the shapes in order. Lengths are
in drawing units, with the origin at the top left and y downwards.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

__all__ = ["Circle", "Rect", "Scene", "Shape", "Stroke", "Text"]


@dataclass(frozen=True, slots=True)
class Rect:
    """A filled rectangle with rounded corners; ``line`` is the width of its outline."""

    part: str
    x: float
    y: float
    width: float
    height: float
    radius: float
    fill: str
    stroke: str | None = None
    line: float = 0.0

    def bounds(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom edge, including the outline."""
        half = self.line / 2 if self.stroke else 0.0
        return (
            self.x - half,
            self.y - half,
            self.x + self.width + half,
            self.y + self.height + half,
        )


@dataclass(frozen=True, slots=True)
class Circle:
    """A disc (``fill``), a ring (``stroke``), or both; ``line`` is the width of the ring."""

    part: str
    x: float
    y: float
    radius: float
    fill: str | None
    stroke: str | None = None
    line: float = 0.0

    def bounds(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom edge, including the ring."""
        reach = self.radius + (self.line / 2 if self.stroke else 0.0)
        return self.x - reach, self.y - reach, self.x + reach, self.y + reach


@dataclass(frozen=True, slots=True)
class Stroke:
    """Open polylines of one color and width, with round ends and joins."""

    part: str
    lines: tuple[tuple[tuple[float, float], ...], ...]
    stroke: str
    line: float

    def bounds(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom edge, including the width of the line."""
        half = self.line / 2
        xs = [x for line in self.lines for x, _ in line]
        ys = [y for line in self.lines for _, y in line]
        return min(xs) - half, min(ys) - half, max(xs) + half, max(ys) + half


@dataclass(frozen=True, slots=True)
class Text:
    """One line of text; ``y`` is its baseline, and ``anchor`` is the part that lies at ``x``."""

    part: str
    x: float
    y: float
    text: str
    size: float
    fill: str
    anchor: Literal["start", "middle", "end"] = "start"
    bold: bool = False

    def bounds(self) -> tuple[float, float, float, float]:
        """Left, top, right and bottom edge, estimated for a wide font."""
        width = 0.62 * self.size * len(self.text)
        left = self.x - {"start": 0.0, "middle": width / 2, "end": width}[self.anchor]
        return left, self.y - 0.8 * self.size, left + width, self.y + 0.22 * self.size


Shape: TypeAlias = Rect | Circle | Stroke | Text


@dataclass(frozen=True, slots=True)
class Scene:
    """A finished drawing: its size, its description, and its shapes from back to front."""

    width: float
    height: float
    background: str
    title: str
    description: str
    shapes: tuple[Shape, ...]
