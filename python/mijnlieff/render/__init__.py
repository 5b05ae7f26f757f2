"""Drawings of a position: SVG text, an RGB image, and a window.

A position becomes a list of primitive shapes (``scene.py``), which each backend draws, so that the
SVG and the image look the same. SVG needs no other package. ``image`` needs Pillow, and ``Window``
needs Pillow and pygame-ce; both are in the extra ``render`` and are imported on first use.
``to_text.py`` has the game in words.
"""

from mijnlieff.render.gallery import Gallery
from mijnlieff.render.to_image import image
from mijnlieff.render.to_svg import svg
from mijnlieff.render.window import Window

__all__ = ["Gallery", "Window", "image", "svg"]
