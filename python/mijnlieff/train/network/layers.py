"""Linear layers that share their weights over the symmetries of a board.

A hidden layer holds its channels once per symmetry: unit `(c, g)` sees the position as symmetry g
shows it. Turning the position then only permutes the units of a channel (a group convolution, after
Cohen and Welling 2016, arXiv:1602.07576). Once spread out, the weights are an ordinary matrix, so a
layer costs what any layer of its width costs.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

__all__ = ["SharedLinear", "SharedReadout"]


class SharedLinear(nn.Module):
    """From anything that symmetries permute to a hidden layer."""

    spread: Tensor

    def __init__(self, inputs: int, outputs: int, table: NDArray[np.int64]) -> None:
        """Draw He-scaled weights.

        Args:
            inputs: channels that come in, each of `size` numbers.
            outputs: channels of the hidden layer.
            table: int64 `(order, size)`, where the numbers of an input channel come from in each
                symmetry; see `SymmetryGroup`.
        """
        super().__init__()
        self.order, self.size = table.shape
        scale = (2.0 / (inputs * self.size)) ** 0.5
        self.weight = nn.Parameter(torch.randn(outputs, inputs, self.size) * scale)
        self.bias = nn.Parameter(torch.zeros(outputs))
        self.register_buffer("spread", _spread(table), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """Apply the layer.

        Args:
            x: float32 `(B, inputs * size)`.

        Returns:
            float32 `(B, outputs * order)`.
        """
        return functional.linear(x, *self.dense())

    def dense(self) -> tuple[Tensor, Tensor]:
        """The layer as an ordinary one.

        Returns:
            Weights float32 `(outputs * order, inputs * size)` and biases `(outputs * order,)`.
        """
        outputs, inputs, size = self.weight.shape
        # Weight [(c, g), (d, i)] is the shared weight [c, d, table[g, i]]. A product with a 0/1
        # matrix spreads it, since its gradient is a product too, and indexing's is slow.
        spread = (self.weight.view(-1, size) @ self.spread).view(outputs, inputs, -1, size)
        matrix = spread.transpose(1, 2).reshape(outputs * self.order, inputs * size)
        return matrix, self.bias.repeat_interleave(self.order)


class SharedReadout(nn.Module):
    """From a hidden layer to one number for each thing that symmetries permute."""

    spread: Tensor

    def __init__(self, inputs: int, table: NDArray[np.int64]) -> None:
        """Draw weights so small that the first outputs are close to 0.

        Args:
            inputs: channels of the hidden layer.
            table: int64 `(order, size)`, where the outputs come from in each symmetry.
        """
        super().__init__()
        self.order, self.size = table.shape
        scale = 0.01 / (inputs * self.order) ** 0.5
        self.weight = nn.Parameter(torch.randn(inputs, self.size) * scale)
        self.bias = nn.Parameter(torch.zeros(self.size))
        self.register_buffer("spread", _spread(table), persistent=False)

    def forward(self, x: Tensor) -> Tensor:
        """Apply the layer.

        Args:
            x: float32 `(B, inputs * order)`.

        Returns:
            float32 `(B, size)`.
        """
        return functional.linear(x, *self.dense())

    def dense(self) -> tuple[Tensor, Tensor]:
        """The layer as an ordinary one.

        Returns:
            Weights float32 `(size, inputs * order)` and biases `(size,)`.
        """
        # Weight [i, (c, g)] is the shared weight [c, table[g, i]].
        matrix = (self.weight @ self.spread).view(-1, self.size).t()
        return matrix, (self.bias @ self.spread).view(self.order, self.size).mean(dim=0)


def _spread(table: NDArray[np.int64]) -> Tensor:
    """Float32 `(size, order * size)`, the matrix whose product reads entries `table`."""
    chosen = torch.from_numpy(np.ascontiguousarray(table)).flatten()
    return functional.one_hot(chosen, table.shape[1]).t().float().contiguous()
