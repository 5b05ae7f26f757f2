"""Tables to play at, and messages of the page to them."""

from __future__ import annotations

from typing import Any

from mijnlieff import Position
from mijnlieff.policies.load import PolicyLike
from mijnlieff.widget import Table

LONG = 60
"""Seconds after which a thread is taken for stuck."""

NEW = {
    "type": "new",
    "seat": "dark",
    "opponent": "greedy",
    "rows": "####",
    "opening": "corner",
    "copies": 2,
}
"""The message that starts a game."""


def table_with(
    start: Position | None = None,
    opponent: PolicyLike = "perfect",
    seat: str = "light",
    **options: Any,
) -> Table:
    """A table that has begun and waits for the person."""
    table = Table(start or Position(), opponent, seat, lambda: None, **options)
    table.begin()
    assert table.join(LONG)
    return table


def click(table: Table, **message: Any) -> dict[str, Any]:
    """Handle a message of the page, wait, and return what the page then shows."""
    table.handle(message)
    assert table.join(LONG)
    return table.state()
