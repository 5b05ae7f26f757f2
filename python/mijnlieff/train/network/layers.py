"""Linear layers that share their weights over the symmetries of a board.

A hidden layer holds each channel once per symmetry: unit `(c, g)` sees the position transformed by
symmetry g. Transforming the position then only permutes the units of a channel (a group
convolution, Cohen and Welling 2016, arXiv:1602.07576). The shared weights are expanded to an
ordinary matrix, so a layer is as fast as any other of its width.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

__all__ = ["SharedLinear", "SharedReadout"]


class SharedLinear(nn.Module):
    """A layer from an input that symmetries permute to hidden units."""

    spread: Tensor

    def __init__(self, inputs: int, outputs: int, table: NDArray[np.int64]) -> None:
        """Draw weights with He scaling.

        Args:
            inputs: input channels, each of `size` numbers.
            outputs: channels of the hidden layer.
            table: int64 `(order, size)`, the permutation of an input channel by each symmetry, see
                `SymmetryGroup`.
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
        """Expand the layer to an ordinary one.

        Returns:
            Weights float32 `(outputs * order, inputs * size)` and biases `(outputs * order,)`.
        """
        outputs, inputs, size = self.weight.shape
        # Weight [(c, g), (d, i)] is the shared weight [c, d, table[g, i]]. It is expanded by a
        # product with a 0/1 matrix, because the gradient of indexing is slow.
        spread = (self.weight.view(-1, size) @ self.spread).view(outputs, inputs, -1, size)
        matrix = spread.transpose(1, 2).reshape(outputs * self.order, inputs * size)
        return matrix, self.bias.repeat_interleave(self.order)


class SharedReadout(nn.Module):
    """A layer from hidden units to outputs that symmetries permute."""

    spread: Tensor

    def __init__(self, inputs: int, table: NDArray[np.int64]) -> None:
        """Draw small weights, so that initial outputs are close to 0.

        Args:
            inputs: channels of the hidden layer.
            table: int64 `(order, size)`, the permutation of the outputs by each symmetry.
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
        """Expand the layer to an ordinary one.

        Returns:
            Weights float32 `(size, inputs * order)` and biases `(size,)`.
        """
        # Weight [i, (c, g)] is the shared weight [c, table[g, i]].
        matrix = (self.weight @ self.spread).view(-1, self.size).t()
        return matrix, (self.bias @ self.spread).view(self.order, self.size).mean(dim=0)


def _spread(table: NDArray[np.int64]) -> Tensor:
    """Float32 `(size, order * size)`, a 0/1 matrix: `x @ matrix` is `x[table.flatten()]`."""
    chosen = torch.from_numpy(np.ascontiguousarray(table)).flatten()
    return functional.one_hot(chosen, table.shape[1]).t().float().contiguous()
