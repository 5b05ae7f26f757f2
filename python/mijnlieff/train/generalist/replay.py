"""A replay buffer of positions on many boards, drawn in random orientations."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from mijnlieff.train.generalist.turns import TURNS, TurnedBoards

__all__ = ["BoardReplay", "BoardSamples"]


@dataclass(frozen=True, slots=True)
class BoardSamples:
    """Positions with their policies and results, one per row, padded to the same size.

    Attributes:
        boards: int64 `(B,)`, the number of the variant.
        observations: uint8 `(B, num_features)` of `TurnedBoards`, hands as counts.
        masks: int8 `(B, num_actions)` of `TurnedBoards`, 1 where legal.
        policies: float16 `(B, num_actions)`, the policy to learn.
        values: float32 `(B, 2)`, outcome (-1, 0 or 1) and margin in points, for the side to move.
    """

    boards: NDArray[np.int64]
    observations: NDArray[np.uint8]
    masks: NDArray[np.int8]
    policies: NDArray[np.float16]
    values: NDArray[np.float32]

    def __len__(self) -> int:
        """The number of positions."""
        return len(self.boards)


class BoardReplay:
    """A ring buffer: new samples replace the oldest.

    Each draw turns or mirrors a position at random. The network is not equivariant, and a board in
    another orientation is another board for it.
    """

    def __init__(self, turned: TurnedBoards, capacity: int) -> None:
        """Allocate the memory.

        Args:
            turned: the boards of the samples.
            capacity: the largest number of positions to keep.

        Raises:
            MemoryError: there is not enough memory for that many positions.
        """
        self.capacity = capacity
        self._turned = turned
        actions = turned.num_actions
        try:
            self._rows = [
                torch.zeros(capacity, dtype=torch.int64),
                torch.zeros((capacity, turned.num_features), dtype=torch.uint8),
                torch.zeros((capacity, actions), dtype=torch.int8),
                torch.zeros((capacity, actions), dtype=torch.float16),
                torch.zeros((capacity, 2), dtype=torch.float32),
            ]
        except RuntimeError as error:  # as PyTorch reports it
            raise MemoryError(
                f"not enough memory for replay_positions={capacity}: choose fewer"
            ) from error
        self._next = 0
        self._size = 0

    def __len__(self) -> int:
        """The number of positions kept."""
        return self._size

    def extend(self, samples: BoardSamples) -> None:
        """Add samples; if there are more than the capacity, the last ones are kept.

        Args:
            samples: the samples; the first are replaced first.
        """
        count = min(len(samples), self.capacity)
        rows = (self._next + torch.arange(count)) % self.capacity
        for kept, entry in zip(self._rows, fields(samples), strict=True):
            kept[rows] = torch.from_numpy(getattr(samples, entry.name)[len(samples) - count :])
        self._next = (self._next + count) % self.capacity
        self._size = min(self._size + count, self.capacity)

    def draw(self, count: int, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Draw positions uniformly, with replacement, each in a random orientation.

        Args:
            count: number of positions.
            generator: generator to draw with.

        Returns:
            On the frame: observations uint8 `(B, 12, H, W)`, masks bool and policies float32
            `(B, 4 * H * W + 1)`; and outcomes and margins float32 `(B, 2)`.
        """
        rows = torch.randint(self._size, (count,), generator=generator)
        turns = torch.randint(TURNS, (count,), generator=generator)
        boards, flat, masks, policies, values = (kept[rows] for kept in self._rows)
        return (
            self._turned.observations(boards, turns, flat),
            self._turned.actions(boards, turns, masks).bool(),
            self._turned.actions(boards, turns, policies.float()),
            values,
        )
