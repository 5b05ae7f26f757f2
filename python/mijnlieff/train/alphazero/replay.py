"""A replay buffer of the positions of recent games."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from mijnlieff._mijnlieff import Variant
from mijnlieff.train.network.symmetry import SymmetryGroup
from mijnlieff.train.play.samples import Samples
from mijnlieff.train.ring import RingBuffer

__all__ = ["ReplayBuffer"]


class ReplayBuffer:
    """A ring buffer: new samples replace the oldest."""

    def __init__(self, variant: Variant, capacity: int, turns: bool = False) -> None:
        """Allocate the memory.

        Args:
            variant: the game.
            capacity: the largest number of positions to keep.
            turns: whether each draw turns or mirrors a position at random, for a network that is
                not equivariant.

        Raises:
            MemoryError: there is not enough memory for that many positions.
        """
        self._group = SymmetryGroup.of(variant) if turns else None
        features, actions = 3 * variant.board.num_cells + 8, variant.num_actions
        self._ring = RingBuffer(
            capacity,
            [
                ((features,), torch.uint8),
                ((actions,), torch.int8),
                ((actions,), torch.float16),
                ((2,), torch.float32),
            ],
        )

    def __len__(self) -> int:
        """The number of positions kept."""
        return len(self._ring)

    def extend(self, samples: Samples) -> None:
        """Add samples; if there are more than the capacity, the last ones are kept.

        Args:
            samples: the samples; the first are replaced first.
        """
        values = np.stack([samples.outcomes, samples.margins], axis=1)
        self._ring.extend([samples.observations, samples.masks, samples.policies, values])

    def draw(self, count: int, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Draw positions uniformly, with replacement.

        Args:
            count: number of positions.
            generator: generator to draw with.

        Returns:
            Observations uint8, masks bool, policies float32, and outcomes and margins float32
            `(B, 2)`.
        """
        observations, masks, policies, values = self._ring.draw(count, generator)
        if self._group is not None:
            turns = torch.randint(self._group.order, (count,), generator=generator)
            of_actions = torch.from_numpy(self._group.actions)[turns]
            observations = observations.gather(1, torch.from_numpy(self._group.features)[turns])
            masks, policies = masks.gather(1, of_actions), policies.gather(1, of_actions)
        return observations, masks.bool(), policies.float(), values
