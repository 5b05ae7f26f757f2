"""A replay buffer of positions on many boards, drawn in random orientations."""

from __future__ import annotations

from dataclasses import fields

import torch
from torch import Tensor

from mijnlieff.train.play.samples import BoardSamples
from mijnlieff.train.play.symmetric_boards import TURNS, SymmetricBoards
from mijnlieff.train.ring import RingBuffer

__all__ = ["BoardReplay"]


class BoardReplay:
    """A ring buffer: new samples replace the oldest.

    Each draw turns or mirrors a position at random. The network is not equivariant, and a board in
    another orientation is another board for it.
    """

    def __init__(self, turned: SymmetricBoards, capacity: int) -> None:
        """Allocate the memory.

        Args:
            turned: the boards of the samples.
            capacity: the largest number of positions to keep.

        Raises:
            MemoryError: there is not enough memory for that many positions.
        """
        self._turned = turned
        actions = turned.num_actions
        self._ring = RingBuffer(
            capacity,
            [
                ((), torch.int64),
                ((turned.num_features,), torch.uint8),
                ((actions,), torch.int8),
                ((actions,), torch.float16),
                ((2,), torch.float32),
            ],
        )

    def __len__(self) -> int:
        """The number of positions kept."""
        return len(self._ring)

    def extend(self, samples: BoardSamples) -> None:
        """Add samples; if there are more than the capacity, the last ones are kept.

        Args:
            samples: the samples; the first are replaced first.
        """
        self._ring.extend([getattr(samples, entry.name) for entry in fields(samples)])

    def draw(self, count: int, generator: torch.Generator) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Draw positions uniformly, with replacement, each in a random orientation.

        Args:
            count: number of positions.
            generator: generator to draw with.

        Returns:
            On the canvas: observations uint8 `(B, 12, H, W)`, masks bool and policies float32
            `(B, 4 * H * W + 1)`; and outcomes and margins float32 `(B, 2)`.
        """
        boards, flat, masks, policies, values = self._ring.draw(count, generator)
        turns = torch.randint(TURNS, (count,), generator=generator)
        return (
            self._turned.observations(boards, turns, flat),
            self._turned.actions(boards, turns, masks).bool(),
            self._turned.actions(boards, turns, policies.float()),
            values,
        )
