"""The layout of a drawing; it depends on the board alone, so drawings of a game have one size."""

from __future__ import annotations

from dataclasses import dataclass

from mijnlieff._mijnlieff import Board

__all__ = ["CELL", "TILE_EDGE", "TRAY_HEIGHT", "TRAY_WIDTH", "Layout", "arrange"]

CELL = 72.0
"""Side of a cell in drawing units."""
TILE_EDGE = 3.0
"""Height of the darker lower edge of a tile."""
TRAY_WIDTH = 150.0
TRAY_HEIGHT = 100.0
_MARGIN = 20.0
_GAP = 14.0
_STATUS_HEIGHT = 40.0
_LABEL_SIZE = 15.0
_LARGEST_LABEL = 0.56 * CELL  # two letters fit across one cell
_LONG_SIDE = 10  # larger boards get larger text, so that it stays readable


@dataclass(frozen=True, slots=True)
class Layout:
    """Places and sizes in drawing units.

    Attributes:
        width: width of the whole drawing.
        height: height of the whole drawing.
        scale: factor for everything around the board: 1 up to ten cells, more on larger boards.
        board_left: left edge of column ``a``.
        board_bottom: lower edge of row 1.
        label_size: font size of the coordinates.
        status: left edge and vertical center of the status line.
        trays: top left corner of Light's and of Dark's tray.
    """

    width: float
    height: float
    scale: float
    board_left: float
    board_bottom: float
    label_size: float
    status: tuple[float, float]
    trays: tuple[tuple[float, float], tuple[float, float]]

    def center(self, x: int, y: int) -> tuple[float, float]:
        """Return the middle of the tile in column ``x`` and row ``y``, counted from 0."""
        return (
            self.board_left + (x + 0.5) * CELL,
            self.board_bottom - (y + 0.5) * CELL - TILE_EDGE / 2,
        )


def arrange(board: Board) -> Layout:
    """Return the layout of a board, with trays below or beside it, whichever is more compact."""
    scale = max(1.0, max(board.width, board.height) / _LONG_SIDE)
    label_size = min(_LABEL_SIZE * scale, _LARGEST_LABEL)
    gutter = 1.6 * label_size
    margin, gap = _MARGIN * scale, _GAP * scale
    top = margin + _STATUS_HEIGHT * scale
    tray_width, tray_height = TRAY_WIDTH * scale, TRAY_HEIGHT * scale
    board_width, board_height = board.width * CELL + gutter, board.height * CELL + gutter

    narrowest = 2 * tray_width + gap  # wide enough for the longest status too
    below = (max(board_width, narrowest), board_height + gap + tray_height)
    beside = (
        max(board_width + gap + tray_width, narrowest),
        max(board_height, 2 * tray_height + gap),
    )
    inner_width, inner_height = min(below, beside, key=max)
    if (inner_width, inner_height) == below:
        left = margin + (inner_width - board_width) / 2
        bottom = top + board_height
        trays_left = margin + (inner_width - narrowest) / 2
        trays = (
            (trays_left, bottom + gap),
            (trays_left + tray_width + gap, bottom + gap),
        )
    else:
        trays_left = margin + inner_width - tray_width
        left = margin + (inner_width - tray_width - gap - board_width) / 2
        bottom = top + (inner_height + board_height) / 2
        trays = ((trays_left, top), (trays_left, top + tray_height + gap))
    return Layout(
        width=inner_width + 2 * margin,
        height=top + inner_height + margin,
        scale=scale,
        board_left=left + gutter,
        board_bottom=bottom - gutter,
        label_size=label_size,
        status=(margin, margin + 0.35 * _STATUS_HEIGHT * scale),
        trays=trays,
    )
