"""A board to play on, in a notebook or on a local page.

A `Table` holds a game, its players and its exact values; it is plain Python. Two front ends
show it by the same ES module (``static/widget.js``): `notebook` as a Jupyter widget, which needs
anywidget, and `server` on a local page, which needs Tornado. Nothing here imports either of them.
"""

from mijnlieff.widget.line import Line
from mijnlieff.widget.table import SEATS, Table

__all__ = ["SEATS", "Line", "Table"]
