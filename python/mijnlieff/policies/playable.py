"""The check of positions that a policy is asked about."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mijnlieff._mijnlieff import Position, mask_batch
from mijnlieff.errors import GameOverError

__all__ = ["check_playable"]


def check_playable(positions: Sequence[Position]) -> None:
    """Raise unless all positions are of one variant and none is over.

    Policies that cut a call into parts check all positions before the first part.

    Raises:
        GameOverError: a game is over; the message says which.
        ValueError: there are no positions, or positions of several variants.
        TypeError: an item is not a `Position`.
    """
    masks = mask_batch(positions)
    over = np.flatnonzero(~masks.any(axis=1))
    if over.size:
        raise GameOverError(f"position {over[0]}: the game is over")
