"""A replay buffer of the positions of recent games."""

from __future__ import annotations

import math
from dataclasses import fields

import torch
from torch import Tensor

from mijnlieff.train.play.samples import Samples
from mijnlieff.train.play.symmetric_boards import SymmetricBoards
from mijnlieff.train.process import enough_memory

__all__ = ["Replay"]


class Replay:
    """A ring buffer: new samples replace the oldest.

    Attributes:
        capacity: the largest number of positions.
    """

    def __init__(
        self,
        symmetric_boards: SymmetricBoards,
        capacity: int,
        device: torch.device | None = None,
    ) -> None:
        """Allocate the memory.

        Args:
            symmetric_boards: the boards of the samples.
            capacity: the largest number of positions to keep.
            device: where they are kept; the CPU unless given.

        Raises:
            MemoryError: there is not enough memory for that many positions.
        """
        self.capacity = capacity
        self._boards = symmetric_boards.to(device or torch.device("cpu"))
        features, actions = symmetric_boards.num_features, symmetric_boards.num_actions
        columns = [
            ((), torch.int64),
            ((features,), torch.uint8),
            ((actions,), torch.int8),
            ((actions,), torch.float16),
            ((2,), torch.float32),
            ((actions,), torch.uint8),
        ]
        row = sum(math.prod(shape) * dtype.itemsize for shape, dtype in columns)
        with enough_memory(f"replay_positions={capacity}: choose fewer"):
            # Asked for as a whole first, so that no column is zeroed where another does not fit.
            torch.empty(capacity * row, dtype=torch.uint8, device=device)
            self._columns = [
                torch.zeros((capacity, *shape), dtype=dtype, device=device)
                for shape, dtype in columns
            ]
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
        device = self._columns[0].device
        rows = (self._next + torch.arange(count, device=device)) % self.capacity
        for kept, entry in zip(self._columns, fields(samples), strict=True):
            new = torch.from_numpy(getattr(samples, entry.name)[len(samples) - count :])
            kept[rows] = new.to(device)
        self._next = (self._next + count) % self.capacity
        self._size = min(self._size + count, self.capacity)

    def draw(self, count: int, generator: torch.Generator) -> tuple[Tensor, ...]:
        """Draw positions uniformly, with replacement, each in a random orientation.

        Args:
            count: number of positions.
            generator: generator to draw with.

        Returns:
            On the device of the buffer, as the network reads them, observations uint8, masks bool
            and policies float32; outcomes and margins float32 `(B, 2)`; and regrets uint8 as
            `regrets_of` gives them.
        """
        device = self._columns[0].device
        rows = torch.randint(self._size, (count,), generator=generator).to(device)
        boards, observations, masks, policies, values, regrets = (
            kept[rows] for kept in self._columns
        )
        drawn = self._boards.draw_orientations(count, generator).to(device)
        observations = self._boards.observations(boards, drawn, observations)
        masks = self._boards.actions(boards, drawn, masks)
        policies = self._boards.actions(boards, drawn, policies)
        regrets = self._boards.actions(boards, drawn, regrets)
        return observations, masks.bool(), policies.float(), values, regrets
