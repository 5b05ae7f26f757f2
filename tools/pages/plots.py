"""Plots as SVG."""

from __future__ import annotations

import io

import matplotlib
from matplotlib.figure import Figure

__all__ = ["svg_text"]


def svg_text(figure: Figure, name: str) -> str:
    """Return a figure as SVG. The same figure always gives the same text.

    Args:
        figure: the figure.
        name: the name of the file, from which the names inside are derived.
    """
    file = io.StringIO()
    with matplotlib.rc_context({"svg.hashsalt": name}):
        figure.savefig(file, format="svg", metadata={"Date": None})
    return file.getvalue()
