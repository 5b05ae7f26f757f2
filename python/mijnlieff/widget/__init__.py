"""A board to play on, in a notebook or on a local page.

A `Table` holds a game, its players and its exact values. What a table is, is written in Rust
(``src/play``); here are the threads around it. Two front ends show it by the same ES module
(``static/widget.js``): `notebook` as a Jupyter widget, which needs anywidget, and `server` on a
local page, which needs Tornado. Nothing here imports either of them.
"""

from mijnlieff.widget.table import Table

__all__ = ["Table"]
