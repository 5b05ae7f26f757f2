"""The check of actions that a policy has chosen."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import Position
from mijnlieff.errors import PolicyError

__all__ = ["check_chosen"]


def check_chosen(
    policy: object,
    chosen: Any,
    positions: Sequence[Position],
    masks: NDArray[np.int8],
    start: int = 0,
) -> NDArray[np.int64]:
    """Return the actions that a policy chose, int64 ``(B,)``.

    Args:
        policy: the policy, for messages.
        chosen: what it returned.
        positions: the positions it was asked about.
        masks: their legal actions.
        start: the number of the first position in messages.

    Raises:
        PolicyError: not one integer for each position, or an illegal action; the message names the
            position.
    """
    if hasattr(chosen, "detach"):  # a PyTorch tensor
        chosen = chosen.detach().cpu()
    try:
        actions = np.asarray(chosen)
    except (TypeError, ValueError, RuntimeError) as error:
        raise PolicyError(
            f"{policy!r} did not return an array of integers of shape ({len(positions)},): {error}"
        ) from error
    if isinstance(chosen, list | tuple) and any(isinstance(one, bool | np.bool_) for one in chosen):
        actions = actions.astype(bool)  # NumPy converts booleans among integers to integers
    if actions.shape != (len(positions),) or actions.dtype.kind not in "iu":
        raise PolicyError(
            f"{policy!r} returned an array of dtype {actions.dtype} and shape {actions.shape} for "
            f"{len(positions)} positions; it must return integers of shape ({len(positions)},)"
        )
    exists = (actions >= 0) & (actions < masks.shape[1])
    legal = masks[np.arange(len(actions)), np.where(exists, actions, 0).astype(np.int64)]
    for i in np.flatnonzero(~(exists & legal.astype(bool))).tolist():
        raise PolicyError(
            f"{policy!r} chose action {actions[i]} in position {start + i}, {positions[i]!r}, "
            f"where only {np.flatnonzero(masks[i]).tolist()} are legal"
        )
    return actions.astype(np.int64)
