"""A policy from a function that returns actions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, SupportsIndex

import numpy as np
from numpy.typing import DTypeLike, NDArray

from mijnlieff._mijnlieff import (
    Canvas,
    Position,
    check_playable,
    mask_batch,
    observe_batch,
    own_actions,
)
from mijnlieff._util.arguments import integer_from
from mijnlieff.policies.base import ActsInBatches, check_actions
from mijnlieff.policies.model import Layout, check_inputs

__all__ = ["FunctionPolicy"]


class FunctionPolicy(ActsInBatches):
    """A policy from a function of observations and masks that returns actions.

    The function is called as ``fn(observations, masks)`` with observations ``(B, ...)`` in the
    chosen layout and int8 masks ``(B, num_actions)``. It returns one legal action for each row,
    integers ``(B,)``; anything else raises `PolicyError`. So a model of another library is a policy
    in one line; for a function that returns logits, see `NetworkPolicy`.

    >>> from mijnlieff import Position
    >>> from mijnlieff.policies import FunctionPolicy
    >>> FunctionPolicy(lambda observations, masks: masks.argmax(axis=1)).act(Position())
    0

    Args:
        fn: the function.
        observation: the layout of observations, see `Position.observation`; None is flat, and
            planes on a canvas.
        dtype: their dtype, float32 or uint8; packed ones are uint64.
        canvas: None for positions of one variant at a time, or a `Canvas` for positions of any
            variants that fit: `fn` is shown planes and masks of the canvas and returns its actions.
        batch_size: the most positions passed to `fn` at once.

    Raises:
        ValueError: unknown layout, a canvas and another layout than planes, or a batch size below
            1.
        TypeError: `fn` cannot be called, another dtype, the batch size is not an integer, or not a
            canvas.
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        *,
        observation: Layout | None = None,
        dtype: DTypeLike = "float32",
        canvas: Canvas | None = None,
        batch_size: SupportsIndex = 4096,
    ) -> None:
        """Check the settings."""
        if not callable(fn):
            raise TypeError(f"fn must be a function of observations and masks, not {fn!r}")
        self.fn = fn
        self.observation = check_inputs(observation, dtype, canvas)
        self.dtype = np.dtype(dtype)
        self.canvas = canvas
        self.batch_size = integer_from("batch_size", batch_size, 1)

    def __repr__(self) -> str:
        """Return the settings; a function is shown by its name."""
        name = getattr(self.fn, "__qualname__", type(self.fn).__name__)
        canvas = "" if self.canvas is None else f", canvas={self.canvas!r}"
        return f"FunctionPolicy({name}, observation={self.observation!r}{canvas})"

    def act_batch(self, positions: Sequence[Position]) -> NDArray[np.int64]:
        """Return the actions to play, int64 ``(B,)``, indices of each position's own variant.

        Without a canvas all positions are of one variant.

        Raises:
            GameOverError: a game is over; the message says which.
            PolicyError: the function did not return a legal action for each position; the message
                says what, and in which position.
            ValueError: positions of several variants without a canvas.
            VariantError: a board does not fit the canvas.
        """
        actions = np.empty(len(positions), dtype=np.int64)
        if not actions.size:
            return actions
        check_playable(positions, self.canvas)
        for start in range(0, len(positions), self.batch_size):
            part = positions[start : start + self.batch_size]
            masks = mask_batch(part, self.canvas)
            chosen = check_actions(self, self._ask(part, masks), part, masks, start)
            if self.canvas is not None:
                chosen = own_actions(part, chosen, self.canvas)
            actions[start : start + len(part)] = chosen
        return actions

    def _ask(self, positions: Sequence[Position], masks: NDArray[np.int8]) -> Any:
        """Return what the function gives for some of the positions."""
        shown = observe_batch(positions, self.observation, self.dtype, self.canvas)
        return self.fn(shown, masks)
