"""A replay buffer of the positions of recent games."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from mijnlieff import Variant

__all__ = ["ReplayBuffer", "Samples"]


@dataclass(frozen=True, slots=True)
class Samples:
    """Positions with their search policies and the results of their games, one per row.

    Attributes:
        observations: uint8 `(B, 3 * num_cells + 8)`, flat, with hands as counts.
        masks: int8 `(B, num_actions)`, 1 where legal.
        policies: float16 `(B, num_actions)`, the policy targets of the search.
        outcomes: float32 `(B,)`, -1, 0 or 1 for the side to move.
        margins: float32 `(B,)`, points, for the side to move.
    """

    observations: NDArray[np.uint8]
    masks: NDArray[np.int8]
    policies: NDArray[np.float16]
    outcomes: NDArray[np.float32]
    margins: NDArray[np.float32]

    def __len__(self) -> int:
        """The number of positions."""
        return len(self.outcomes)


class ReplayBuffer:
    """A ring buffer: new samples replace the oldest.

    Rotated and mirrored copies are not needed, because the network is equivariant.
    """

    def __init__(self, variant: Variant, capacity: int) -> None:
        """Allocate the memory.

        Args:
            variant: the game.
            capacity: the largest number of positions to keep.

        Raises:
            MemoryError: there is not enough memory for that many positions.
        """
        features, actions = 3 * variant.board.num_cells + 8, variant.num_actions
        self.capacity = capacity
        try:
            self._observations = torch.zeros((capacity, features), dtype=torch.uint8)
            self._masks = torch.zeros((capacity, actions), dtype=torch.int8)
            self._policies = torch.zeros((capacity, actions), dtype=torch.float16)
            self._values = torch.zeros((capacity, 2), dtype=torch.float32)
        except RuntimeError as error:  # as PyTorch reports it
            raise MemoryError(
                f"not enough memory for replay_positions={capacity}: choose fewer"
            ) from error
        self._next = 0
        self._size = 0

    def __len__(self) -> int:
        """The number of positions kept."""
        return self._size

    def extend(self, samples: Samples) -> None:
        """Add samples; if there are more than the capacity, the last ones are kept.

        Args:
            samples: the samples; the first are replaced first.
        """
        count = min(len(samples), self.capacity)
        rows = (self._next + torch.arange(count)) % self.capacity
        self._observations[rows] = torch.from_numpy(samples.observations[-count:])
        self._masks[rows] = torch.from_numpy(samples.masks[-count:])
        self._policies[rows] = torch.from_numpy(samples.policies[-count:])
        self._values[rows, 0] = torch.from_numpy(samples.outcomes[-count:])
        self._values[rows, 1] = torch.from_numpy(samples.margins[-count:])
        self._next = (self._next + count) % self.capacity
        self._size = min(self._size + count, self.capacity)

    def draw(self, count: int, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Draw positions uniformly, with replacement.

        Args:
            count: number of positions.
            generator: generator to draw with.

        Returns:
            Observations uint8, masks bool, policies float32, and outcomes and margins float32
            `(B, 2)`.
        """
        rows = torch.randint(self._size, (count,), generator=generator)
        return (
            self._observations[rows],
            self._masks[rows].bool(),
            self._policies[rows].float(),
            self._values[rows],
        )
