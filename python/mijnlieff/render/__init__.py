"""Drawings of a position: SVG text, an RGB image, and a window.

A position becomes one list of primitive shapes (``scene.py``), which either backend turns into its
own kind of output, so that the SVG and the image show the same thing. SVG needs nothing but Python;
``image`` needs Pillow and ``Window`` needs Pillow and pygame-ce, both in the extra ``render``, and
both are imported on first use.
"""

from .gallery import Gallery
from .shapes import Drawable
from .to_image import image
from .to_svg import svg
from .window import Window

__all__ = ["Drawable", "Gallery", "Window", "image", "svg"]
