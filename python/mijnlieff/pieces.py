"""The four types of pieces as an enumeration."""

from __future__ import annotations

import enum

__all__ = ["Piece"]


class Piece(enum.IntEnum):
    """A type of piece; its value is the piece index in actions, hands and observations."""

    STRAIGHT = 0
    """The opponent must place in an unbroken row or column with it."""
    DIAGONAL = 1
    """The opponent must place on an unbroken diagonal with it."""
    PUSHER = 2
    """The opponent must place on a cell that does not touch it."""
    PULLER = 3
    """The opponent must place on a cell that touches it, orthogonally or diagonally."""

    @property
    def sign(self) -> str:
        """The sign in game records: ``+``, ``x``, ``<>`` or ``><``."""
        return ("+", "x", "<>", "><")[self]
