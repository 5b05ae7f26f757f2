"""The positions of the last games, to learn from more than once."""

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
    """Positions with what a search and the end of their game said about them; rows belong together.

    Attributes:
        observations: uint8 `(B, 3 * num_cells + 8)`, flat, hands as raw counts.
        masks: int8 `(B, num_actions)`.
        policies: float16 `(B, num_actions)`, the targets of the search.
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
    """A ring of samples: the newest take the places of the oldest.

    The symmetries of the board need no copies here: the network knows them, so that every sample
    teaches what all its turned and mirrored images would.
    """

    def __init__(self, variant: Variant, capacity: int) -> None:
        """Make room.

        Args:
            variant: fixes the shapes.
            capacity: the most positions kept.
        """
        features, actions = 3 * variant.board.num_cells + 8, variant.num_actions
        self.capacity = capacity
        self._observations = torch.zeros((capacity, features), dtype=torch.uint8)
        self._masks = torch.zeros((capacity, actions), dtype=torch.int8)
        self._policies = torch.zeros((capacity, actions), dtype=torch.float16)
        self._values = torch.zeros((capacity, 2), dtype=torch.float32)
        self._next = 0
        self._size = 0

    def __len__(self) -> int:
        """The number of positions kept."""
        return self._size

    def extend(self, samples: Samples) -> None:
        """Add samples; of more than the capacity, the last remain.

        Args:
            samples: in the order in which they shall be forgotten.
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
        """Positions drawn with replacement.

        Args:
            count: how many.
            generator: of the draw.

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
