"""Prompts that ask a model for a move."""

from __future__ import annotations

from mijnlieff._mijnlieff import Position
from mijnlieff.render.to_text import position_text, rules_text

__all__ = ["correction_text", "prompt_text"]

_MOST_QUOTED = 300
"""Characters of a reply that a correction repeats."""


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
        reply: the reply; the end of a long one is repeated, and the type of anything but text.
        reason: what was wrong with it, the error of `read_move`.
    """
    text = reply if isinstance(reply, str) else type(reply).__name__
    end = text.strip()[-_MOST_QUOTED:]
    return (
        f"You replied:\n{end}\n\nThat cannot be played: {reason}.\n"
        "Reply again, and end with one legal move in brackets."
    )
