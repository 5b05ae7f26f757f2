"""Linear layers that share their weights over the symmetries of a board.

A hidden layer holds each channel once per symmetry: unit `(c, g)` sees the position transformed by
symmetry g. Transforming the position then only permutes the units of a channel (a group
convolution, Cohen and Welling 2016, arXiv:1602.07576). Layers work in bases in which they are
block-diagonal, see `irreps`; for hidden units the change of basis is the Fourier transform of the
group. Positions are the last axis of all arrays, so that blocks are contiguous.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.autograd import Function

from mijnlieff.train.network.irreps import adapted_basis, irreps_of

__all__ = ["BasisChange", "SharedLinear", "SharedReadout"]


class BasisChange(nn.Module):
    """Changes lists that symmetries permute to a basis adapted to the symmetries, and back.

    Attributes:
        order: number of symmetries.
        table: int64 `(order, size)`, the permutation of a list by each symmetry.
        parts: for each representation float64 `(rows, count, size)`, see `adapted_basis`.
        matrix: float32 `(size, size)`, orthogonal: the lists of all parts.
    """

    matrix: Tensor

    def __init__(self, table: NDArray[np.int64], elements: NDArray[np.int64]) -> None:
        """Compute the basis.

        Args:
            table: int64 `(order, size)`, see `SymmetryGroup`.
            elements: int64 `(order, order)`, the group, see `SymmetryGroup`.
        """
        super().__init__()
        self.table, self.order = table, len(table)
        self.parts = adapted_basis(table, irreps_of(elements))
        matrix = np.concatenate([part.reshape(-1, part.shape[2]) for part in self.parts])
        self.register_buffer("matrix", torch.from_numpy(matrix).float(), persistent=False)

    def rectify(self, changed: Tensor, skipped: Tensor | None = None) -> tuple[Tensor, Tensor]:
        """Apply a relu, which has to be done to the lists themselves.

        Args:
            changed: float32 `(size * channels, B)`, the lists in the basis.
            skipped: of the same shape, lists that are added to them before.

        Returns:
            Of the same shape, the rectified lists, and the same in the basis.
        """
        rectified: tuple[Tensor, Tensor] = _Rectify.apply(changed, skipped, self.matrix)
        return rectified


class _BlockDiagonal(nn.Module):
    """A layer whose blocks consist of weights for the entries of a list.

    Representations whose blocks have the same shape are multiplied together.
    """

    structure: Tensor

    def __init__(self, lists: BasisChange, hidden: BasisChange) -> None:
        super().__init__()
        self.order, self.size = lists.table.shape
        # Of each group of blocks: how many, the count of the list and that of the hidden units.
        self._shapes: list[tuple[int, int, int]] = []
        # Of each group of blocks: how many rows they stand for.
        self._rows: list[int] = []
        structure = []
        pairs = zip(lists.parts, hidden.parts, strict=True)
        for (rows, count, units), group in groupby(pairs, lambda pair: _shape(*pair)):
            blocks = [_structure(lists.table, parts[0][0], parts[1][0]) for parts in group]
            self._shapes.append((len(blocks), count, units))
            self._rows.append(len(blocks) * rows)
            structure.extend(blocks)
        joined = torch.from_numpy(np.concatenate(structure, axis=1)).float()
        self.register_buffer("structure", joined, persistent=False)

    def spread(self, weight: Tensor) -> list[Tensor]:
        """For each group of blocks `(..., blocks, count of the list, count of the hidden units)`.

        Args:
            weight: `(..., size)`.
        """
        parts = torch.split(weight @ self.structure, list(map(math.prod, self._shapes)), dim=-1)
        return [
            part.view(*weight.shape[:-1], *shape)
            for part, shape in zip(parts, self._shapes, strict=True)
        ]


def _shape(lists: NDArray[np.float64], units: NDArray[np.float64]) -> tuple[int, int, int]:
    return len(lists), lists.shape[1], units.shape[1]


def _structure(
    table: NDArray[np.int64], lists: NDArray[np.float64], units: NDArray[np.float64]
) -> NDArray[np.float64]:
    """What each weight adds to each entry of a block, `(size, lists * units)`."""
    entries = np.zeros((table.shape[1], len(lists), len(units)))
    for g, row in enumerate(table):
        # The weight between entry x of the list and unit g is number row[x].
        entries[row] += lists.T[:, :, np.newaxis] * units[:, g]
    return entries.reshape(table.shape[1], -1)


class SharedLinear(_BlockDiagonal):
    """A layer from lists that symmetries permute to hidden units."""

    def __init__(self, inputs: int, outputs: int, lists: BasisChange, hidden: BasisChange) -> None:
        """Draw weights with He scaling.

        Args:
            inputs: input channels, each a list.
            outputs: channels of the hidden layer.
            lists: the basis of the input.
            hidden: the basis of the hidden units.
        """
        super().__init__(lists, hidden)
        scale = (2.0 / (inputs * self.size)) ** 0.5
        self.weight = nn.Parameter(torch.randn(outputs, inputs, self.size) * scale)
        self.bias = nn.Parameter(torch.zeros(outputs))

    def forward(self, numbers: Tensor) -> Tensor:
        """From and to numbers in an adapted basis, float32 `(size * channels, B)`."""
        # The same bias for all units of a channel is a multiple of the constant list of length 1.
        bias = self.bias * self.order**0.5
        product: Tensor = _Multiply.apply(numbers, bias, self._rows, *self.matrices(self.weight))
        return product

    def matrices(self, weight: Tensor) -> list[Tensor]:
        """The layer's matrix in the basis, block by block.

        Args:
            weight: `(..., outputs, inputs, size)`.

        Returns:
            For each group of blocks `(..., blocks, count of the hidden units * outputs, count of
            the list * inputs)`.
        """
        parts = (part.movedim((-5, -4), (-3, -1)) for part in self.spread(weight))
        # Now (..., blocks, count of the list, outputs, count of the hidden units, inputs).
        return [part.transpose(-4, -2).flatten(-2).flatten(-3, -2) for part in parts]

    def weight_of(self, matrices: Sequence[Tensor]) -> Tensor:
        """The weight whose blocks these are, the inverse of `matrices`.

        Args:
            matrices: as `matrices` returns them.
        """
        outputs, inputs, _ = self.weight.shape
        parts = []
        for matrix, (_, lists, units) in zip(matrices, self._shapes, strict=True):
            part = matrix.reshape(*matrix.shape[:-2], units, outputs, lists, inputs)
            parts.append(part.transpose(-4, -2).movedim((-3, -1), (-5, -4)).flatten(-3))
        weight: Tensor = torch.cat(parts, dim=-1) @ torch.linalg.pinv(self.structure)
        return weight


class SharedReadout(_BlockDiagonal):
    """A layer from hidden units to a list that symmetries permute."""

    constant: Tensor

    def __init__(self, inputs: int, lists: BasisChange, hidden: BasisChange) -> None:
        """Draw small weights, so that initial outputs are close to 0.

        Args:
            inputs: channels of the hidden layer.
            lists: the basis of the output.
            hidden: the basis of the hidden units.
        """
        super().__init__(lists, hidden)
        scale = 0.01 / (inputs * self.order) ** 0.5
        self.weight = nn.Parameter(torch.randn(inputs, self.size) * scale)
        self.bias = nn.Parameter(torch.zeros(self.size))
        constant = torch.from_numpy(lists.parts[0][0]).float()
        self.register_buffer("constant", constant, persistent=False)

    def forward(self, numbers: Tensor) -> Tensor:
        """From and to numbers in an adapted basis, float32 `(size * channels, B)`."""
        matrices = [part.permute(1, 2, 3, 0).flatten(2) for part in self.spread(self.weight)]
        # Only the mean of the biases over places that symmetries equate counts.
        bias = self.constant @ self.bias
        product: Tensor = _Multiply.apply(numbers, bias, self._rows, *matrices)
        return product


class _Multiply(Function):
    """A product with a block-diagonal matrix, and a bias in the trivial block.

    Each group of blocks has either one for each of its rows, or one for all.
    """

    @staticmethod
    def forward(
        ctx: Any, numbers: Tensor, bias: Tensor, rows: list[int], *matrices: Tensor
    ) -> Tensor:
        height = sum(count * part.shape[1] for count, part in zip(rows, matrices, strict=True))
        product = numbers.new_empty(height, numbers.shape[1])
        for matrix, source, target in _grouped(rows, matrices, numbers, product):
            torch.bmm(matrix.expand(len(source), -1, -1), source, out=target)
        product[: len(bias)] += bias.unsqueeze(1)
        ctx.save_for_backward(numbers, *matrices)
        ctx.rows, ctx.num_biases = rows, len(bias)
        return product

    @staticmethod
    def backward(ctx: Any, gradient: Tensor) -> tuple[Tensor | None, ...]:
        numbers, *matrices = ctx.saved_tensors
        of_numbers = torch.empty_like(numbers) if ctx.needs_input_grad[0] else None
        of_matrices = []
        for matrix, source, target in _grouped(ctx.rows, matrices, numbers, gradient):
            of_each = torch.bmm(target, source.transpose(1, 2))
            of_matrices.append(of_each.sum_to_size(matrix.shape))
        if of_numbers is not None:
            for matrix, target, source in _grouped(ctx.rows, matrices, of_numbers, gradient):
                torch.bmm(matrix.mT.expand(len(source), -1, -1), source, out=target)
        return of_numbers, gradient[: ctx.num_biases].sum(dim=1), None, *of_matrices


def _grouped(
    rows: list[int], matrices: Sequence[Tensor], inputs: Tensor, outputs: Tensor
) -> Iterator[tuple[Tensor, Tensor, Tensor]]:
    """Each group of blocks with the part of the inputs that it reads and the part it writes."""
    shapes = list(zip(rows, matrices, strict=True))
    sources = torch.split(inputs, [count * part.shape[2] for count, part in shapes])
    targets = torch.split(outputs, [count * part.shape[1] for count, part in shapes])
    batch = inputs.shape[1]
    for (count, matrix), source, target in zip(shapes, sources, targets, strict=True):
        yield matrix, source.view(count, -1, batch), target.view(count, -1, batch)


class _Rectify(Function):
    """See `BasisChange.rectify`."""

    @staticmethod
    def forward(
        ctx: Any, changed: Tensor, skipped: Tensor | None, basis: Tensor
    ) -> tuple[Tensor, Tensor]:
        inverse, flat = basis.t(), changed.view(len(basis), -1)
        if skipped is None:
            lists = inverse @ flat
        else:
            lists = torch.addmm(skipped.view(flat.shape), inverse, flat)
        lists.relu_()
        ctx.save_for_backward(lists, basis)
        ctx.is_beside = skipped is not None
        ctx.set_materialize_grads(False)
        return lists.view(changed.shape), (basis @ lists).view(changed.shape)

    @staticmethod
    def backward(
        ctx: Any, of_lists: Tensor | None, of_changed: Tensor
    ) -> tuple[Tensor | None, ...]:
        lists, basis = ctx.saved_tensors
        inverse, flat = basis.t(), of_changed.view(lists.shape)
        if of_lists is None:
            gradient = inverse @ flat
        else:
            gradient = torch.addmm(of_lists.view(lists.shape), inverse, flat)
        torch.ops.aten.threshold_backward.grad_input(gradient, lists, 0, grad_input=gradient)
        back = (basis @ gradient).view(of_changed.shape)
        return back, gradient.view(of_changed.shape) if ctx.is_beside else None, None
