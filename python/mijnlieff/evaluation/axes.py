"""Axes and colors for the plots of reports."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mijnlieff._util.extras import needs

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["BLUE", "GREEN", "ORANGE", "PALETTE", "PURPLE", "VERMILION", "new_axes"]

# Of the palette of Okabe and Ito, which color-blind readers can tell apart.
BLUE, ORANGE, GREEN, PURPLE, VERMILION = "#0072B2", "#E69F00", "#009E73", "#CC79A7", "#D55E00"
#: The colors of several lines, in this order.
PALETTE = (BLUE, ORANGE, GREEN, PURPLE)


def new_axes(height: float) -> Axes:
    """Return the axes of a new figure, which is 7 inches wide.

    Args:
        height: of the figure, in inches.

    Raises:
        MissingExtraError: matplotlib is not installed.
    """
    with needs("a plot", "matplotlib", "plot"):
        from matplotlib import pyplot
    _, axes = pyplot.subplots(figsize=(7, height), layout="constrained")
    return axes
