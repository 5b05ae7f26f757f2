"""Helpers of several policies for positions and logits."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import Position, mask_batch
from mijnlieff.errors import GameOverError

__all__ = ["check_playable", "softmax"]


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


def softmax(logits: NDArray[np.float64], temperature: float) -> NDArray[np.float64]:
    """Return probabilities ``softmax(logits / temperature)`` along the last axis.

    Args:
        logits: ``(B, num_actions)``, -inf for illegal actions.
        temperature: at 0, the first action with the largest logit has probability 1.
    """
    if temperature == 0:
        certain: NDArray[np.float64] = np.eye(logits.shape[1])[logits.argmax(axis=1)]
        return certain
    weights = np.exp((logits - logits.max(axis=1, keepdims=True)) / temperature)
    shares: NDArray[np.float64] = weights / weights.sum(axis=1, keepdims=True)
    return shares
