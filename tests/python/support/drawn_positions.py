"""Positions to draw: the example game, and boards of every shape."""

from __future__ import annotations

from mijnlieff import Board, Position, Variant
from played import example

EIGHT_ROWS = "/".join(["########"] * 8)


def after(board: str, record: str = "", copies: int = 2) -> Position:
    """The position after these actions on the board with this text."""
    return Position.from_actions(record.split(), Variant(Board.from_text(board), copies=copies))


POSITIONS = {
    "start": example(0),
    "middle": example(10),
    "must pass": example(11),
    "passed": example(12),
    "over": example(),
    "single cell": after("#", copies=127),
    "eight by eight": after(EIGHT_ROWS, "a1+ d1>< e2x f3<>", copies=8),
    "gaps": after(
        "##....##/##....##/..####../..####../....##../....##..", "a5+ a6>< b5x c4<> e1+ f1><"
    ),
    "long": after("#" * 64, "a1+ aa1<> bl1><", copies=8),
    "tall": after("/".join("#" * 64), "a1+ a60<> a2><", copies=8),
    "all at 127": after("##/##", copies=127),
}
