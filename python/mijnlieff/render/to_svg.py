"""Draws a position as SVG, without any dependency."""

from __future__ import annotations

from html import escape
from typing import SupportsIndex

from mijnlieff._mijnlieff import Position
from mijnlieff.render.scene import scene
from mijnlieff.render.shapes import Circle, Rect, Scene, Shape, Stroke, Text
from mijnlieff.render.sizes import pixels

__all__ = ["FONTS", "element", "shape_element", "svg"]

FONTS = "system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif"


def svg(position: Position, *, size: SupportsIndex | None = None) -> str:
    """Return a position as an SVG element, for a file or for a web page.

    It has no ids, style sheets, scripts or links, so a page can hold several. The attribute
    ``data-part`` of every shape names its part of the drawing.

    Args:
        position: the position to draw.
        size: length of the longer side in pixels, 32..8192; None for the natural size.

    Raises:
        TypeError: not a `Position`, or ``size`` is not an integer.
        ValueError: ``size`` is out of range.
    """
    return element(position, size, 'style="max-width:100%;height:auto"')


def element(position: Position, size: SupportsIndex | None, attributes: str) -> str:
    """Return a position as an SVG element with more attributes, such as its place.

    Args:
        position: the position to draw.
        size: length of the longer side in pixels, 32..8192; None for the natural size.
        attributes: the attributes, as SVG text.

    Raises:
        TypeError: not a `Position`, or ``size`` is not an integer.
        ValueError: ``size`` is out of range.
    """
    drawing = scene(position)
    width, height = pixels(drawing, size)
    opening = _opening(drawing, width, height, attributes)
    return "\n".join([opening, *map(shape_element, drawing.shapes), "</svg>"])


def _opening(drawing: Scene, width: int, height: int, attributes: str) -> str:
    """Return the start tag, with a title and a description."""
    title = escape(drawing.title)
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" '
        f'viewBox="0 0 {_number(drawing.width)} {_number(drawing.height)}" '
        f'width="{width}" height="{height}" {attributes} '
        f'role="img" aria-label="{title}" font-family="{FONTS}">\n'
        f"<title>{title}</title>\n<desc>{escape(drawing.description)}</desc>"
    )


def shape_element(shape: Shape) -> str:
    """Return the tag of one shape."""
    part = f'data-part="{shape.part}"'
    match shape:
        case Rect():
            return (
                f'<rect {part} x="{_number(shape.x)}" y="{_number(shape.y)}" '
                f'width="{_number(shape.width)}" height="{_number(shape.height)}" '
                f'rx="{_number(shape.radius)}" {_paint(shape.fill, shape.stroke, shape.line)}/>'
            )
        case Circle():
            return (
                f'<circle {part} cx="{_number(shape.x)}" cy="{_number(shape.y)}" '
                f'r="{_number(shape.radius)}" {_paint(shape.fill, shape.stroke, shape.line)}/>'
            )
        case Stroke():
            path = "".join(
                "M" + "L".join(f"{_number(x)} {_number(y)}" for x, y in line)
                for line in shape.lines
            )
            return (
                f'<path {part} d="{path}" {_paint(None, shape.stroke, shape.line)} '
                'stroke-linecap="round" stroke-linejoin="round"/>'
            )
        case Text():
            bold = ' font-weight="bold"' if shape.bold else ""
            return (
                f'<text {part} x="{_number(shape.x)}" y="{_number(shape.y)}" '
                f'font-size="{_number(shape.size)}" text-anchor="{shape.anchor}"{bold} '
                f'fill="{shape.fill}">{escape(shape.text)}</text>'
            )


def _paint(fill: str | None, stroke: str | None, line: float) -> str:
    """Return the attributes for fill and outline."""
    outline = f' stroke="{stroke}" stroke-width="{_number(line)}"' if stroke else ""
    return f'fill="{fill or "none"}"{outline}'


def _number(value: float) -> str:
    """Return a length with at most two decimals."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
