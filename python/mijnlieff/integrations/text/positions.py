"""Positions, legal moves and prompts as text."""

from __future__ import annotations

from mijnlieff._mijnlieff import Position
from mijnlieff.integrations.text.rules import rules_text
from mijnlieff.rules import PLAYERS, Piece

__all__ = ["correction_text", "move_text", "moves_text", "position_text", "prompt_text"]

_MOST_QUOTED = 300
"""Characters of a reply that a correction repeats."""


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
    Notation: ../..
    You are Light. Legal moves: a1+ b1+ a2+ b2+
    """
    lines = [
        str(position),
        "L is a stone of Light, D of Dark, with its piece; . is an empty cell, * one that is "
        "allowed now.",
        f"Notation: {position.notation}",
    ]
    if not position.is_over:
        lines.append(f"You are {PLAYERS[position.to_play]}. Legal moves: {moves_text(position)}")
    return "\n".join(lines)


def moves_text(position: Position) -> str:
    """Return the names of the legal moves, with spaces between; empty when the game is over."""
    return " ".join(map(position.variant.action_name, position.legal_actions().tolist()))


def move_text(position: Position, action: int) -> str:
    """Return a move in words, such as ``Puller on a1``.

    Args:
        position: where it is played; only its variant matters.
        action: the index of the move.

    Raises:
        ValueError: the variant has no such action.
    """
    variant = position.variant
    name = variant.action_name(action)
    if action == variant.pass_action:
        return name
    piece, cell = divmod(action, variant.board.num_cells)
    return f"{Piece(piece).name.capitalize()} on {variant.board.cell_name(cell)}"


def prompt_text(position: Position, *, rules: bool = True) -> str:
    """Return a prompt that asks for a move: the rules, the position, and how to answer.

    Args:
        position: a position that is not over.
        rules: whether to begin with `rules_text`; leave it out where a model has seen it before.
    """
    legal = position.legal_actions()
    example = f", such as [{position.variant.action_name(legal[0])}]" if len(legal) else ""
    parts = [rules_text(position.variant)] if rules else []
    parts += [
        f"POSITION after {position.ply} turns:\n{position_text(position)}",
        f"Choose the move that is best for you. End your reply with it in brackets{example}.",
    ]
    return "\n\n".join(parts)


def correction_text(reply: object, reason: object) -> str:
    """Return what to add to a prompt after a reply that was no legal move.

    Args:
        reply: the reply; of a long one the end is repeated, of what is no text the type.
        reason: what was wrong with it, the error of `read_move`.
    """
    text = reply if isinstance(reply, str) else type(reply).__name__
    end = text.strip()[-_MOST_QUOTED:]
    return (
        f"You replied:\n{end}\n\nThat cannot be played: {reason}.\n"
        "Reply again, and end with one legal move in brackets."
    )
