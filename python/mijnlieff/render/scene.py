"""The drawing of a position as a list of shapes, from back to front."""

from __future__ import annotations

from string import digits

from mijnlieff._mijnlieff import Board, Position
from mijnlieff._util.arguments import check_type
from mijnlieff.render.layout import (
    CELL,
    TILE_EDGE,
    TRAY_HEIGHT,
    TRAY_WIDTH,
    Layout,
    arrange,
)
from mijnlieff.render.pieces import stone
from mijnlieff.render.shapes import Circle, Rect, Scene, Shape, Text
from mijnlieff.rules import PLAYERS, Piece, must_pass

__all__ = ["scene"]

_SIGNS = tuple(piece.sign for piece in Piece)

_PANEL = "#efe4cd"
_PANEL_EDGE = "#cdb98f"
_TRAY = "#f8f1e1"
_TRAY_EDGE = "#d9c8a3"
_INK = "#33291c"
_FAINT_INK = "#7c6a4c"
_CELL = ("#cfae7c", "#c5a26d")  # the two shades make the diagonals easy to follow
_CELL_EDGE = "#b28e58"
_OPEN_CELL = ("#dcd0a0", "#d5c793")
_OPEN = "#0b6e7f"
_LAST = "#e8590c"


def scene(position: Position) -> Scene:
    """Return the drawing of a position.

    Raises:
        TypeError: not a `Position`.
    """
    check_type("position", position, Position)
    board = position.variant.board
    layout = arrange(board)
    pass_action = position.variant.pass_action
    legal = {int(action) for action in position.legal_actions()}
    open_cells = {action % board.num_cells for action in legal if action != pass_action}
    last = position.last_action
    last_cell = None if last is None or last == pass_action else last % board.num_cells
    status = _status(position)

    edge = 1.5 * layout.scale
    shapes: list[Shape] = [
        Rect(
            "panel",
            edge / 2,
            edge / 2,
            layout.width - edge,
            layout.height - edge,
            14 * layout.scale,
            _PANEL,
            _PANEL_EDGE,
            edge,
        ),
        *_status_line(layout, position, status),
        *_labels(layout, board),
    ]
    for cell, (x, y) in enumerate(board.cells):
        shapes += _cell(layout, x, y, is_open=cell in open_cells)
    for cell, (x, y) in enumerate(board.cells):
        owner = int(position.stones[cell])
        if owner:
            piece = int(position.pieces[cell])
            center = layout.center(x, y)
            shapes += stone("stone", center, 0.39 * CELL, owner - 1, piece, shadow=True)
        if cell == last_cell:
            shapes.append(Circle("last", *layout.center(x, y), 0.44 * CELL, None, _LAST, 4.5))
    for player in (0, 1):
        shapes += _tray(layout, position, player)
    return Scene(
        width=layout.width,
        height=layout.height,
        background=_PANEL,
        title=f"Mijnlieff, {board.width}x{board.height}. {status}. "
        f"Score: Light {position.score[0]}, Dark {position.score[1]}",
        description=_describe(position, open_cells),
        shapes=tuple(shapes),
    )


def _status(position: Position) -> str:
    """Return the turn, or the result of a finished game, in a few words."""
    light, dark = position.score
    if position.is_over:
        if light == dark:
            return f"Draw {light}-{dark}"
        winner = PLAYERS[dark > light]
        return f"{winner} wins {max(light, dark)}-{min(light, dark)}"
    mover, other = PLAYERS[position.to_play], PLAYERS[1 - position.to_play]
    turn = f"{mover} must pass" if must_pass(position) else f"{mover} to move"
    if position.last_action == position.variant.pass_action:
        return f"{other} passed, {turn}"
    return turn


def _status_line(layout: Layout, position: Position, status: str) -> list[Shape]:
    """Draw the status text, after a plain stone of the player that it names."""
    x, y = layout.status
    size = 18 * layout.scale
    light, dark = position.score
    shapes: list[Shape] = []
    if not position.is_over or light != dark:
        player = int(dark > light) if position.is_over else position.to_play
        radius = 0.5 * size
        shapes += stone("turn", (x + radius, y), radius, player, -1)
        x += 1.45 * size
    shapes.append(Text("status", x, y + 0.36 * size, status, size, _INK, bold=True))
    return shapes


def _labels(layout: Layout, board: Board) -> list[Shape]:
    """Write the letters below the columns and the numbers left of the rows."""
    size = layout.label_size
    bottom = layout.board_bottom + 1.25 * size
    right = layout.board_left - 0.45 * size
    letters = {x: board.cell_name(i).rstrip(digits) for i, (x, _) in enumerate(board.cells)}
    columns = [
        Text("column", layout.center(x, 0)[0], bottom, letter, size, _FAINT_INK, "middle")
        for x, letter in sorted(letters.items())
    ]
    rows = [
        Text(
            "row", right, layout.center(0, y)[1] + 0.36 * size, f"{y + 1}", size, _FAINT_INK, "end"
        )
        for y in range(board.height)
    ]
    return [*columns, *rows]


def _cell(layout: Layout, x: int, y: int, *, is_open: bool) -> list[Shape]:
    """Draw one cell as a tile with a darker lower edge, with a mark if it is allowed."""
    center_x, center_y = layout.center(x, y)
    side = CELL - 4
    left, top = center_x - side / 2, center_y + TILE_EDGE / 2 - side / 2
    shade = (x + y) % 2
    face = (_OPEN_CELL if is_open else _CELL)[shade]
    shapes: list[Shape] = [
        Rect("cell", left, top, side, side, 7, _CELL_EDGE),
        Rect("cell-face", left, top, side, side - TILE_EDGE, 7, face),
    ]
    if is_open:
        shapes.append(Circle("open", center_x, center_y, 0.12 * CELL, _OPEN))
    return shapes


def _tray(layout: Layout, position: Position, player: int) -> list[Shape]:
    """Draw a player's name, points and hand; the side to move gets a thick outline."""
    scale = layout.scale
    left, top = layout.trays[player]
    moves = position.to_play == player and not position.is_over
    shapes: list[Shape] = [
        Rect(
            "tray-to-move" if moves else "tray",
            left,
            top,
            TRAY_WIDTH * scale,
            TRAY_HEIGHT * scale,
            9 * scale,
            _TRAY,
            _OPEN if moves else _TRAY_EDGE,
            (3 if moves else 1.5) * scale,
        ),
        *stone("seat", (left + 22 * scale, top + 21 * scale), 9 * scale, player, -1),
        Text(
            "name",
            left + 38 * scale,
            top + 26.5 * scale,
            PLAYERS[player],
            15 * scale,
            _INK,
            bold=True,
        ),
        Text(
            "score",
            left + (TRAY_WIDTH - 14) * scale,
            top + 28.5 * scale,
            str(position.score[player]),
            22 * scale,
            _INK,
            "end",
            bold=True,
        ),
    ]
    step = (TRAY_WIDTH - 10) / len(_SIGNS)
    for piece in range(len(_SIGNS)):
        count = int(position.hands[player][piece])
        x = left + (5 + (piece + 0.5) * step) * scale
        shapes += stone(
            "hand",
            (x, top + 56 * scale),
            15.5 * scale,
            player,
            piece,
            fade_into=None if count else _TRAY,
        )
        ink = _INK if count else _FAINT_INK
        shapes.append(Text("count", x, top + 89 * scale, str(count), 13.5 * scale, ink, "middle"))
    return shapes


def _describe(position: Position, open_cells: set[int]) -> str:
    """Describe the whole position in words, for screen readers."""
    board = position.variant.board
    names = [board.cell_name(cell) for cell in range(board.num_cells)]

    def stones(owner: int) -> str:
        cells = zip(names, position.stones, position.pieces, strict=True)
        return " ".join(name + _SIGNS[piece] for name, of, piece in cells if of == owner) or "none"

    def hand(player: int) -> str:
        counts = zip(_SIGNS, position.hands[player], strict=True)
        return " ".join(f"{int(count)} {sign}" for sign, count in counts)

    return (
        f"Light stones: {stones(1)}; hand: {hand(0)}. Dark stones: {stones(2)}; hand: {hand(1)}. "
        f"Allowed cells: {' '.join(names[cell] for cell in sorted(open_cells)) or 'none'}."
    )
