"""The common part of policies that ask a model about arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from mijnlieff._mijnlieff import (
    Canvas,
    Position,
    check_playable,
    integer,
    mask_batch,
    observe_batch,
    own_actions,
)

__all__ = ["BatchedPolicy", "Layout"]

Layout: TypeAlias = Literal["planes", "flat", "packed"]


class BatchedPolicy:
    """A policy that asks a model about observations and masks, a part of the positions at a time.

    Args:
        observation: the layout of observations, see `Position.observation`.
        batch_size: the most positions in one part.
        dtype: of observations, float32 or uint8; packed ones are uint64.
        canvas: None for one variant at a time, or the canvas of observations, masks and of the
            actions that the model chooses.

    Raises:
        ValueError: unknown layout, a canvas and another layout than planes, or a batch size below
            1.
        TypeError: another dtype, the batch size is not an integer, or not a canvas.
    """

    def __init__(
        self,
        observation: Layout,
        batch_size: int,
        dtype: DTypeLike = "float32",
        canvas: Canvas | None = None,
    ) -> None:
        """Check the settings."""
        if canvas is not None and not isinstance(canvas, Canvas):
            raise TypeError(f"canvas must be a Canvas or None, not {canvas!r}")
        # Raises for a layout or type not known.
        Position().observation(observation, dtype, canvas=None if canvas is None else Canvas(4, 4))
        batch_size = integer("batch_size", batch_size)
        if batch_size < 1:
            raise ValueError(f"batch_size must be at least 1, not {batch_size}")
        self.observation = observation
        self.batch_size = batch_size
        self.dtype = np.dtype(dtype)
        self.canvas = canvas

    def act(self, position: Position) -> int:
        """Return the action to play.

        Raises:
            GameOverError: the game is over.
            PolicyError: as in `act_batch`.
        """
        return int(self.act_batch([position])[0])

    def act_batch(self, positions: Sequence[Position]) -> NDArray[np.int64]:
        """Return the actions to play, int64 ``(B,)``, indices of each position's own variant.

        Without a canvas all positions are of one variant.

        Raises:
            GameOverError: a game is over; the message says which.
            PolicyError: the model returned something from which no legal action can be taken; the
                message says what, and in which position.
            ValueError: positions of several variants without a canvas, or of one that the model
                does not fit.
            VariantError: a board does not fit the canvas.
        """
        actions = np.empty(len(positions), dtype=np.int64)
        if actions.size:
            for batch, masks, start in self._parts(positions):
                chosen = self._choose(batch, masks, start)
                if self.canvas is not None:
                    chosen = own_actions(batch, chosen, self.canvas)
                actions[start : start + len(batch)] = chosen
        return actions

    def _parts(
        self, positions: Sequence[Position]
    ) -> Iterator[tuple[Sequence[Position], NDArray[np.int8], int]]:
        """Yield parts of the positions, their masks, and the number of the first one."""
        check_playable(positions, self.canvas)
        for start in range(0, len(positions), self.batch_size):
            batch = positions[start : start + self.batch_size]
            yield batch, mask_batch(batch, self.canvas), start

    def _observations(self, batch: Sequence[Position]) -> NDArray[Any]:
        """Return what the model is shown."""
        return observe_batch(batch, self.observation, self.dtype, self.canvas)

    def _choose(
        self, batch: Sequence[Position], masks: NDArray[np.int8], start: int
    ) -> NDArray[np.int64]:
        """Return legal actions for a part, on the canvas if there is one.

        `start` is the number of the first position.
        """
        raise NotImplementedError
