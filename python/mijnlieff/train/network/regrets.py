"""What each action of a solved position loses, which a network learns beside policy and values."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from mijnlieff._mijnlieff import MARGIN_UNIT
from mijnlieff.evaluation.losses import ILLEGAL

__all__ = ["regret_loss", "regrets_of"]

_MOST = 12
"""An action that loses more points is as bad as one that loses so many."""


def regrets_of(action_margins: NDArray[np.int16]) -> NDArray[Any]:
    """By how many points each action is worse than the best, plus 1; 0 where that is not known.

    Args:
        action_margins: int16 `(B, num_actions)`, as in `SelfPlaySamples`.

    Returns:
        uint8 `(B, num_actions)`.
    """
    best = action_margins.max(axis=1, keepdims=True).astype(np.int32)
    regrets = np.minimum(best - action_margins, 254) + 1
    return np.where(action_margins == ILLEGAL, 0, regrets).astype(np.uint8)


def regret_loss(found: Tensor, regrets: Tensor) -> Tensor:
    """The mean squared error of the actions whose regrets are known, in units of `MARGIN_UNIT`.

    Args:
        found: as `CellNetwork.outputs_with_regrets` gives them, float32 `(B, num_actions - 1)`.
        regrets: as `regrets_of` gives them, uint8 `(B, num_actions)`. A pass, the last action, is
            never a choice.
    """
    known = regrets[:, :-1] > 0
    points = (regrets[:, :-1].float() - 1).clamp(max=_MOST)
    errors = (found - points / MARGIN_UNIT).masked_fill(~known, 0.0).square()
    return torch.sum(errors) / known.sum().clamp(min=1)
