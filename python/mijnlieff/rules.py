"""The piece types, the names of the players, arguments that are variants, and `perft`."""

from __future__ import annotations

import enum
from collections.abc import Mapping
from typing import Any, TypeAlias

from mijnlieff._mijnlieff import Position, Variant, perft

__all__ = ["PLAYERS", "Piece", "VariantLike", "must_pass", "perft"]

VariantLike: TypeAlias = Variant | str | Mapping[str, Any]
"""A variant, its text or its dict, see `Variant.from_text`."""

PLAYERS = ("Light", "Dark")
"""The names of the players, by index."""


class Piece(enum.IntEnum):
    """A type of piece; its value is the piece index in actions, hands and observations."""

    STRAIGHT = 0
    """The opponent must place in line with it along an unbroken row or column."""
    DIAGONAL = 1
    """The opponent must place in line with it along an unbroken diagonal."""
    PUSHER = 2
    """The opponent must place on a cell that does not touch it."""
    PULLER = 3
    """The opponent must place on a cell that touches it, orthogonally or diagonally."""

    @property
    def sign(self) -> str:
        """The sign in game records, ``+``, ``x``, ``<>`` or ``><``."""
        return ("+", "x", "<>", "><")[self]


def must_pass(position: Position) -> bool:
    """Return whether passing is the only legal action, which programs play without asking."""
    return bool(position.action_mask()[position.variant.pass_action])
