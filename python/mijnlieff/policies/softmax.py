"""Probabilities from logits."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["softmax"]


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
