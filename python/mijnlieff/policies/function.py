"""A policy from a function that returns actions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import Position, Variant, integer, mask_batch, observe_batch
from mijnlieff.policies.chosen import check_chosen
from mijnlieff.policies.playable import check_playable

__all__ = ["FunctionPolicy"]

_Function = Callable[[NDArray[Any], NDArray[np.int8]], Any]


class FunctionPolicy:
    """A policy from a function of observations and masks that returns actions.

    The function is called as ``fn(observations, masks)`` with observations ``(B, ...)`` in the
    chosen layout (float32, or uint64 for ``"packed"``) and int8 masks ``(B, num_actions)``. It
    returns one legal action for each row, integers ``(B,)``. So a model of another library is a
    policy in one line; for a function that returns logits, see `NetworkPolicy`.

    >>> import mijnlieff
    >>> first = mijnlieff.FunctionPolicy(lambda observations, masks: masks.argmax(axis=1))
    >>> first.act(mijnlieff.Position())
    0

    Args:
        fn: the function.
        observation: the layout of observations, see `Position.observation`.
        batch_size: the most positions passed to `fn` at once.

    Raises:
        ValueError: unknown layout, or a batch size below 1.
        TypeError: `fn` cannot be called, or the batch size is not an integer.
    """

    def __init__(
        self,
        fn: _Function,
        observation: Literal["planes", "flat", "packed"] = "flat",
        batch_size: int = 4096,
    ) -> None:
        """Check the settings."""
        if not callable(fn):
            raise TypeError(f"fn must be a function of observations and masks, not {fn!r}")
        Variant().observation_shape(observation)  # raises for a layout that does not exist
        batch_size = integer("batch_size", batch_size)
        if batch_size < 1:
            raise ValueError(f"batch_size must be at least 1, not {batch_size}")
        self.fn = fn
        self.observation = observation
        self.batch_size = batch_size

    def __repr__(self) -> str:
        """Return the settings; a function is shown by its name."""
        name = getattr(self.fn, "__qualname__", type(self.fn).__name__)
        return f"FunctionPolicy({name}, observation={self.observation!r})"

    def act(self, position: Position) -> int:
        """Return the action to play.

        Raises:
            GameOverError: the game is over.
            PolicyError: the function returned something else than a legal action.
        """
        return int(self.act_batch([position])[0])

    def act_batch(self, positions: Sequence[Position]) -> NDArray[np.int64]:
        """Return the actions to play, int64 ``(B,)``; all positions are of one variant.

        Raises:
            GameOverError: a game is over; the message says which.
            PolicyError: the function did not return one integer for each position, or chose an
                illegal action; the message names the position.
            ValueError: positions of several variants.
        """
        actions = np.empty(len(positions), dtype=np.int64)
        if not actions.size:
            return actions
        check_playable(positions)
        for start in range(0, len(positions), self.batch_size):
            batch = positions[start : start + self.batch_size]
            masks = mask_batch(batch)
            chosen = self.fn(observe_batch(batch, self.observation), masks)
            actions[start : start + len(batch)] = check_chosen(self, chosen, batch, masks, start)
        return actions
