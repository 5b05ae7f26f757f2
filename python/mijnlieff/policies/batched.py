"""The common part of policies that ask a model about arrays."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import DTypeLike, NDArray

from mijnlieff._mijnlieff import Position, integer, mask_batch, observe_batch
from mijnlieff.policies.playable import check_playable

__all__ = ["BatchedPolicy", "Layout"]

Layout: TypeAlias = Literal["planes", "flat", "packed"]


class BatchedPolicy:
    """A policy that asks a model about observations and masks, a part of the positions at a time.

    Args:
        observation: the layout of observations, see `Position.observation`.
        batch_size: the most positions in one part.
        dtype: of observations, float32 or uint8; packed ones are uint64.

    Raises:
        ValueError: unknown layout, or a batch size below 1.
        TypeError: another dtype, or the batch size is not an integer.
    """

    def __init__(self, observation: Layout, batch_size: int, dtype: DTypeLike = "float32") -> None:
        """Check the settings."""
        Position().observation(observation, dtype)  # raises for a layout or type not known
        batch_size = integer("batch_size", batch_size)
        if batch_size < 1:
            raise ValueError(f"batch_size must be at least 1, not {batch_size}")
        self.observation = observation
        self.batch_size = batch_size
        self.dtype = np.dtype(dtype)

    def act(self, position: Position) -> int:
        """Return the action to play.

        Raises:
            GameOverError: the game is over.
            PolicyError: as in `act_batch`.
        """
        return int(self.act_batch([position])[0])

    def act_batch(self, positions: Sequence[Position]) -> NDArray[np.int64]:
        """Return the actions to play, int64 ``(B,)``; all positions are of one variant.

        Raises:
            GameOverError: a game is over; the message says which.
            PolicyError: the model returned something from which no legal action can be taken; the
                message says what, and in which position.
            ValueError: positions of several variants, or of one that the model does not fit.
        """
        actions = np.empty(len(positions), dtype=np.int64)
        if actions.size:
            for batch, masks, start in self._parts(positions):
                actions[start : start + len(batch)] = self._choose(batch, masks, start)
        return actions

    def _parts(
        self, positions: Sequence[Position]
    ) -> Iterator[tuple[Sequence[Position], NDArray[np.int8], int]]:
        """Yield parts of the positions, their masks, and the number of the first one."""
        check_playable(positions)
        for start in range(0, len(positions), self.batch_size):
            batch = positions[start : start + self.batch_size]
            yield batch, mask_batch(batch), start

    def _observations(self, batch: Sequence[Position]) -> NDArray[Any]:
        """Return what the model is shown."""
        return observe_batch(batch, self.observation, self.dtype)

    def _choose(
        self, batch: Sequence[Position], masks: NDArray[np.int8], start: int
    ) -> NDArray[np.int64]:
        """Return legal actions for a part; `start` is the number of its first position."""
        raise NotImplementedError
