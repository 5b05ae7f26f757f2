"""The game in words, for a terminal and for language models: rules, positions and moves."""

from __future__ import annotations

from mijnlieff._mijnlieff import Position, Variant, as_variant
from mijnlieff._util.arguments import check_type
from mijnlieff.rules import PLAYERS, Piece, VariantLike

__all__ = ["LEGEND", "move_text", "moves_text", "position_text", "rules_text"]

LEGEND = (
    "L is a stone of Light, D of Dark, with its piece; . is an empty cell, * one that is allowed "
    "now."
)
"""What stands on the board of a position's text."""

_OPENINGS = {
    "outside": "a cell that lacks an orthogonal neighbor",
    "corner": "a corner cell",
    "corner_straight": "a corner cell, and it must be a Straight",
    "anywhere": "any cell",
}


def rules_text(variant: VariantLike | None = None) -> str:
    """Return the rules of a variant in words: its board, pieces, turns, end and points.

    Sentences about gaps and full boards are there only where the board can have them.

    >>> from mijnlieff.integrations.text import rules_text
    >>> print(rules_text().partition(".")[0])
    Mijnlieff is a board game for two players, Light and Dark

    Args:
        variant: the variant; None is the standard game.

    Raises:
        VariantError, BoardError: the text of a variant cannot be read.
        TypeError: not a variant.
    """
    variant = as_variant(variant)
    parts = (_board(variant), _pieces(variant), _turns(variant), _end(variant), _moves(variant))
    return "\n\n".join(
        (
            "Mijnlieff is a board game for two players, Light and Dark. Light moves first, then "
            "turns alternate.",
            *parts,
        )
    )


def _has_gaps(variant: Variant) -> bool:
    return variant.board.num_cells < variant.board.width * variant.board.height


def _board(variant: Variant) -> str:
    board = variant.board
    names = {place: board.cell_name(cell) for cell, place in enumerate(board.cells)}
    width = max(map(len, names.values()))
    rows = [
        " ".join(names.get((x, y), "").ljust(width) for x in range(board.width)).rstrip()
        for y in reversed(range(board.height))
    ]
    gaps = " Other places of the drawing are gaps, not cells." if _has_gaps(variant) else ""
    return (
        f"BOARD. It has these {board.num_cells} cells, named by a column, from a at the left, and "
        f"a row, from 1 at the bottom.{gaps}\n" + "\n".join(rows)
    )


def _pieces(variant: Variant) -> str:
    gaps = _has_gaps(variant)
    line = "with no gap between" if gaps else "at any distance"
    reach = {
        Piece.STRAIGHT: f"in the same row or column as it, {line}",
        Piece.DIAGONAL: f"on a diagonal with it, {line}",
        Piece.PUSHER: "that does not touch it",
        Piece.PULLER: "that touches it, also at a corner",
    }
    pieces = [f"- {piece.name.capitalize()} ({piece.sign}): {reach[piece]}." for piece in Piece]
    passing = "Pieces on the board never block a line."
    if gaps:
        passing += (
            " Gaps do, but a diagonal runs between two cells that meet at a corner, and such cells "
            "touch. A Pusher reaches across gaps."
        )
    return (
        f"PIECES. Each player starts with {4 * variant.copies} pieces, {variant.copies} of each of "
        "four types. In a turn a player places one of them. It restricts where the opponent may "
        "place in the very next turn, on an empty cell:\n" + "\n".join(pieces) + f"\n{passing}"
    )


def _turns(variant: Variant) -> str:
    start = Position(variant)
    cells = sorted({int(action) % variant.board.num_cells for action in start.legal_actions()})
    named = " ".join(map(variant.board.cell_name, cells))
    return (
        f"TURNS. Light's first piece goes on {_OPENINGS[variant.opening]}: {named}. A player who "
        "has no legal placement must pass, and may pass only then. After a pass the opponent may "
        "place on any empty cell."
    )


def _end(variant: Variant) -> str:
    full = ""
    if variant.board.num_cells < 8 * variant.copies:
        full = " The game also ends when the board is full and the player to move passes."
    return (
        "END. When a player has placed the last piece, the opponent gets one more turn, and then "
        f"the game is over, whatever pieces are still held.{full} Every unbroken run of three or "
        "more cells in a row, column or diagonal with stones of one player scores: 3 cells are 1 "
        "point, 4 are 2, and n are n - 2. A stone may count in several runs. More points win; "
        "equal points are a draw."
    )


def _moves(variant: Variant) -> str:
    first = variant.board.cell_name(0)
    examples = ", ".join(
        f"{first}{piece.sign} places a {piece.name.capitalize()} on {first}" for piece in Piece
    )
    return f"MOVES are written as the cell and the sign of the piece: {examples}. A pass is pass."


def position_text(position: Position) -> str:
    """Return a position as text: board, hands, points, who moves, and the legal moves.

    The line ``Notation: ...`` is what `Position.from_notation` reads.

    >>> import mijnlieff
    >>> from mijnlieff.integrations.text import position_text
    >>> start = mijnlieff.Position("##/## corner_straight 1")
    >>> print(position_text(start))
    2  *    *
    1  *    *
       a    b
    <BLANKLINE>
    Light  + 1  x 1  <> 1  >< 1   0 points   to move
    Dark   + 1  x 1  <> 1  >< 1   0 points
    L is a stone of Light, D of Dark, with its piece; . is an empty cell, * one that is allowed now.
    Notation: ../.. - 0
    You are Light. Legal moves: a1+ b1+ a2+ b2+

    Raises:
        TypeError: not a `Position`.
    """
    check_type("position", position, Position)
    lines = [str(position), LEGEND, f"Notation: {position.notation}"]
    if not position.is_over:
        lines.append(f"You are {PLAYERS[position.to_play]}. Legal moves: {moves_text(position)}")
    return "\n".join(lines)


def moves_text(position: Position) -> str:
    """Return the names of the legal moves, with spaces between; empty when the game is over.

    Raises:
        TypeError: not a `Position`.
    """
    check_type("position", position, Position)
    return " ".join(map(position.variant.action_name, position.legal_actions().tolist()))


def move_text(position: Position, action: int) -> str:
    """Return a move in words, such as ``Puller on a1``.

    Args:
        position: where it is played; only its variant matters.
        action: the index of the move.

    Raises:
        IndexError: the variant has no such action.
        TypeError: not a `Position`, or the action is not an integer.
    """
    check_type("position", position, Position)
    variant = position.variant
    name = variant.action_name(action)
    if action == variant.pass_action:
        return name
    piece, cell = divmod(action, variant.board.num_cells)
    return f"{Piece(piece).name.capitalize()} on {variant.board.cell_name(cell)}"
