"""How the plots in docs are written."""

from __future__ import annotations

from pathlib import Path

import matplotlib
from matplotlib.figure import Figure


def save_svg(figure: Figure, path: Path) -> None:
    """Write a figure as SVG. The same figure always gives the same file.

    Args:
        figure: the figure.
        path: the file.
    """
    with matplotlib.rc_context({"svg.hashsalt": path.name}):
        figure.savefig(path, metadata={"Date": None})
