"""Layers in the basis of the irreducible representations, against their dense form."""

from __future__ import annotations

import numpy as np
import torch

from dense_network import DenseNetwork
from mijnlieff.encoding import observe_batch
from mijnlieff.train.network import PolicyValueNetwork
from mijnlieff.train.network.irreps import adapted_basis, irreps_of
from mijnlieff.train.network.symmetry import SymmetryGroup
from network_inputs import playable
from symmetry_boards import EACH_BOARD, variant_of

# Rows and counts of the irreducible representations in the hidden units.
DIMENSIONS = {
    "all": [(1, 1)] * 4 + [(2, 2)],
    "rotations": [(1, 1)] * 2 + [(1, 2)],
    "two mirrors": [(1, 1)] * 4,
    "two diagonals": [(1, 1)] * 4,
    "half turn": [(1, 1)] * 2,
    "one mirror": [(1, 1)] * 2,
    "none": [(1, 1)],
    "one row": [(1, 1)] * 2,
}


@EACH_BOARD
def test_blocks_and_gradients_are_those_of_the_dense_layers(board):
    torch.manual_seed(0)
    variant = variant_of(board)
    network = PolicyValueNetwork(variant, 40, 2)
    for weight in network.parameters():
        torch.nn.init.normal_(weight, std=0.2)
    rows = torch.from_numpy(observe_batch(playable(variant, 6), "flat"))
    found = []
    for form in (network, DenseNetwork(network)):
        network.zero_grad()
        logits, values = form(rows)
        assert logits.std() > 0.1
        (logits.square().sum() + values.square().sum()).backward()
        found.append([logits, values, *(weight.grad for weight in network.parameters())])
    for block, dense in zip(*found, strict=True):
        scale = float(dense.detach().abs().max())
        torch.testing.assert_close(block, dense, atol=2e-5 * scale, rtol=0)


@EACH_BOARD
def test_a_layer_is_block_diagonal_in_an_adapted_basis(board):
    group = SymmetryGroup.of(variant_of(board))
    irreps = irreps_of(group.elements)
    hidden = adapted_basis(group.elements, irreps)
    assert [part.shape[:2] for part in hidden] == DIMENSIONS[board]
    for table in (group.features, group.actions, group.elements):
        basis = adapted_basis(table, irreps)
        joined = np.concatenate([part.reshape(-1, part.shape[2]) for part in basis])
        np.testing.assert_allclose(joined @ joined.T, np.eye(table.shape[1]), atol=1e-12)
        # A layer with random weights between the list and the hidden units.
        layer = np.random.default_rng(0).normal(size=table.shape[1])[table]
        for i, of_list in enumerate(basis):
            for j, units in enumerate(hidden):
                for row, other in np.ndindex(len(of_list), len(units)):
                    block = units[other] @ layer @ of_list[row].T
                    same = i == j and row == other
                    expected = units[0] @ layer @ of_list[0].T if same else 0 * block
                    np.testing.assert_allclose(block, expected, atol=1e-12)
