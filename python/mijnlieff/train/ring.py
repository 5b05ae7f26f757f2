"""A ring buffer of rows in several tensors, the memory of both replay buffers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from numpy.typing import NDArray
from torch import Tensor

__all__ = ["RingBuffer"]


class RingBuffer:
    """Rows with one entry in each of several tensors: new rows replace the oldest.

    Attributes:
        capacity: the largest number of rows.
    """

    def __init__(
        self, capacity: int, columns: Sequence[tuple[tuple[int, ...], torch.dtype]]
    ) -> None:
        """Allocate the memory.

        Args:
            capacity: the largest number of rows to keep.
            columns: shape and type of an entry of each tensor.

        Raises:
            MemoryError: there is not enough memory for that many rows.
        """
        self.capacity = capacity
        try:
            self._columns = [
                torch.zeros((capacity, *shape), dtype=dtype) for shape, dtype in columns
            ]
        except RuntimeError as error:  # as PyTorch reports it
            raise MemoryError(
                f"not enough memory for replay_positions={capacity}: choose fewer"
            ) from error
        self._next = 0
        self._size = 0

    def __len__(self) -> int:
        """The number of rows kept."""
        return self._size

    def extend(self, columns: Sequence[NDArray[Any]]) -> None:
        """Add rows; if there are more than the capacity, the last ones are kept.

        Args:
            columns: an array for each tensor, with as many rows; the first are replaced first.
        """
        given = len(columns[0])
        count = min(given, self.capacity)
        rows = (self._next + torch.arange(count)) % self.capacity
        for kept, column in zip(self._columns, columns, strict=True):
            kept[rows] = torch.from_numpy(column[given - count :])
        self._next = (self._next + count) % self.capacity
        self._size = min(self._size + count, self.capacity)

    def draw(self, count: int, generator: torch.Generator) -> list[Tensor]:
        """Draw rows uniformly, with replacement; return them in each tensor.

        Args:
            count: number of rows.
            generator: generator to draw with.
        """
        rows = torch.randint(self._size, (count,), generator=generator)
        return [kept[rows] for kept in self._columns]
