"""A policy from a function that returns actions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import Canvas, Position
from mijnlieff.policies.base import check_actions
from mijnlieff.policies.batched import BatchedPolicy, Layout

__all__ = ["FunctionPolicy"]

_Function = Callable[[NDArray[Any], NDArray[np.int8]], Any]


class FunctionPolicy(BatchedPolicy):
    """A policy from a function of observations and masks that returns actions.

    The function is called as ``fn(observations, masks)`` with observations ``(B, ...)`` in the
    chosen layout (float32, or uint64 for ``"packed"``) and int8 masks ``(B, num_actions)``. It
    returns one legal action for each row, integers ``(B,)``; anything else raises `PolicyError`.
    So a model of another library is a policy in one line; for a function that returns logits, see
    `NetworkPolicy`.

    >>> import mijnlieff
    >>> first = mijnlieff.policies.FunctionPolicy(lambda observations, masks: masks.argmax(axis=1))
    >>> first.act(mijnlieff.Position())
    0

    Args:
        fn: the function.
        observation: the layout of observations, see `Position.observation`.
        batch_size: the most positions passed to `fn` at once.
        canvas: None for positions of one variant at a time, or a `Canvas` for positions of any
            variants that fit: `fn` is shown planes and masks of the canvas and returns its actions.

    Raises:
        ValueError: unknown layout, a canvas and another layout than planes, or a batch size below
            1.
        TypeError: `fn` cannot be called, the batch size is not an integer, or not a canvas.
    """

    def __init__(
        self,
        fn: _Function,
        observation: Layout = "flat",
        batch_size: int = 4096,
        *,
        canvas: Canvas | None = None,
    ) -> None:
        """Check the settings."""
        if not callable(fn):
            raise TypeError(f"fn must be a function of observations and masks, not {fn!r}")
        super().__init__(observation, batch_size, canvas=canvas)
        self.fn = fn

    def __repr__(self) -> str:
        """Return the settings; a function is shown by its name."""
        name = getattr(self.fn, "__qualname__", type(self.fn).__name__)
        canvas = "" if self.canvas is None else f", canvas={self.canvas!r}"
        return f"FunctionPolicy({name}, observation={self.observation!r}{canvas})"

    def _choose(
        self, batch: Sequence[Position], masks: NDArray[np.int8], start: int
    ) -> NDArray[np.int64]:
        chosen = self.fn(self._observations(batch), masks)
        return check_actions(self, chosen, batch, masks, start)
