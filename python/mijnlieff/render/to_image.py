"""Draws a position as an RGB image with Pillow; no display is needed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from mijnlieff._mijnlieff import Position
from mijnlieff._util.extras import needs
from mijnlieff.render.scene import scene
from mijnlieff.render.shapes import Circle, Rect, Scene, Stroke, Text
from mijnlieff.render.sizes import pixels

if TYPE_CHECKING:
    from PIL.ImageDraw import ImageDraw

__all__ = ["image"]

_OVERSAMPLED = 4096
"""Images of up to this side in pixels are painted larger and then scaled down."""
_ANCHORS = {"start": "ls", "middle": "ms", "end": "rs"}


def image(position: Position, *, size: SupportsIndex | None = None) -> npt.NDArray[np.uint8]:
    """Return a position as an image; all positions of one board and size have the same shape.

    Args:
        position: the position to draw.
        size: length of the longer side in pixels, 32..8192; None for the natural size.

    Returns:
        uint8 ``(height, width, 3)``, red, green, blue; a new array.

    Raises:
        TypeError: not a `Position`, or ``size`` is not an integer.
        ValueError: ``size`` is out of range.
        MissingExtraError: Pillow is not installed.
    """
    with needs("drawing an image", "Pillow", "render"):
        from PIL import Image, ImageDraw
    drawing = scene(position)
    width, height = pixels(drawing, size)
    # Pillow does not antialias, so paint larger and average.
    oversampling = max(1, min(4, _OVERSAMPLED // max(width, height)))
    canvas = Image.new("RGB", (width * oversampling, height * oversampling), drawing.background)
    _paint(ImageDraw.Draw(canvas), drawing, canvas.width / drawing.width)
    return np.array(canvas.reduce(oversampling) if oversampling > 1 else canvas)


def _paint(draw: ImageDraw, drawing: Scene, factor: float) -> None:
    """Paint all shapes, ``factor`` pixels to a drawing unit."""
    fonts: dict[float, Any] = {}
    for shape in drawing.shapes:
        match shape:
            case Rect():
                line = _pixels(shape.line, factor) if shape.stroke else 0
                box = [factor * edge for edge in shape.bounds()]
                radius = factor * (shape.radius + shape.line / 2)
                draw.rounded_rectangle(box, radius, shape.fill, shape.stroke, line)
            case Circle():
                line = _pixels(shape.line, factor) if shape.stroke else 0
                box = [factor * edge for edge in shape.bounds()]
                draw.ellipse(box, shape.fill, shape.stroke, line)
            case Stroke():
                for points in shape.lines:
                    _stroke(draw, [(factor * x, factor * y) for x, y in points], shape, factor)
            case Text():
                size = factor * shape.size
                font = fonts.get(size)
                if font is None:
                    font = fonts[size] = _font(size)
                draw.text(
                    (factor * shape.x, factor * shape.y),
                    shape.text,
                    shape.fill,
                    font,
                    _ANCHORS[shape.anchor],
                    # The built-in font has one weight; an outline makes it bolder.
                    stroke_width=int(0.022 * size) if shape.bold else 0,
                )


def _stroke(
    draw: ImageDraw, points: list[tuple[float, float]], shape: Stroke, factor: float
) -> None:
    """Paint one polyline; a disc on every point makes ends and joins round."""
    draw.line(points, shape.stroke, _pixels(shape.line, factor))
    radius = factor * shape.line / 2
    for x, y in points:
        draw.ellipse((x - radius, y - radius, x + radius, y + radius), shape.stroke)


def _font(size: float) -> Any:
    """Return the built-in font of Pillow, ``size`` pixels high."""
    from PIL import ImageFont

    return ImageFont.load_default(max(1.0, size))


def _pixels(length: float, factor: float) -> int:
    """Return the width of a line in whole pixels, at least one."""
    return max(1, round(factor * length))
