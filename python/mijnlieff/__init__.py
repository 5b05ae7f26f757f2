"""Mijnlieff, a board game for two, as a fast reinforcement-learning environment.

Rules objects are immutable: a `Board` is a set of cells, a `Variant` adds the opening rule and the
number of pieces, a `Position` is the state of a game, and playing returns a new one.

>>> import mijnlieff
>>> position = mijnlieff.Position()
>>> len(position.legal_actions())
48
>>> position.play("a1+").play("a3><").to_play
0
"""

from mijnlieff import errors
from mijnlieff._mijnlieff import (
    Board,
    Position,
    Variant,
    format_record,
    mask_batch,
    observe_batch,
    parse_record,
    perft,
)
from mijnlieff.errors import *  # noqa: F403 - the list of exceptions is kept in one place
from mijnlieff.pieces import Piece
from mijnlieff.vector import VectorEnv

__version__ = "0.1.0"

__all__ = [
    "Board",
    "Piece",
    "Position",
    "Variant",
    "VectorEnv",
    "__version__",
    "format_record",
    "mask_batch",
    "observe_batch",
    "parse_record",
    "perft",
    *errors.__all__,
]
