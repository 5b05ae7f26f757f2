"""The optimizers: what Muon does to hidden layers, and what optimizers keep."""

from __future__ import annotations

import copy

import pytest
import torch

from mijnlieff import Variant
from mijnlieff.train.config import TrainConfig
from mijnlieff.train.network import CellNetwork
from mijnlieff.train.network.optimizer import Optimizer, orthogonalized


def make(optimizer: str, **settings: float | str) -> tuple[CellNetwork, Optimizer]:
    torch.manual_seed(0)
    network = CellNetwork(Variant(), 64, 1, 8)
    for head in (network.placements, network.outcome):  # 0 at first, with no gradient behind them
        torch.nn.init.normal_(head.weight, std=0.1)
    config = TrainConfig.of("alphazero", optimizer=optimizer, **settings)
    return network, Optimizer(network, config)


def learn(network: CellNetwork, optimizer: Optimizer, steps: int) -> list[float]:
    """Steps with gradients that depend on the weights; returns the losses before them."""
    rows = torch.rand(32, 56, generator=torch.Generator().manual_seed(1)).round()
    losses = []
    for _ in range(steps):
        logits, values = network(rows)
        network.zero_grad()
        loss = (logits - 1).square().mean() + (values - 0.5).square().mean()
        loss.backward()
        optimizer.step(1e-2)
        losses.append(loss.item())
    return losses


@pytest.mark.parametrize("shape", [(3, 20, 50), (50, 20), (2, 2, 30, 30)])
def test_orthogonalized_matrices_keep_their_directions(shape):
    matrix = torch.randn(shape, generator=torch.Generator().manual_seed(0))
    left, values, right = torch.linalg.svd(matrix, full_matrices=False)
    found = left.mT @ orthogonalized(1e4 * matrix) @ right.mT
    kept = found.diagonal(dim1=-2, dim2=-1)
    torch.testing.assert_close(found, torch.diag_embed(kept), atol=1e-4, rtol=0)
    large = values > 0.05 * values.amax(dim=-1, keepdim=True)
    assert ((0.65 < kept) & (kept < 1.25))[large].all()
    assert not orthogonalized(torch.zeros(shape)).any()


def test_muon_steps_are_as_large_as_those_of_adamw():
    changes = {}
    for name in ("adamw", "muon"):
        network, optimizer = make(name, weight_decay=0.0)
        before = copy.deepcopy(network.state_dict())
        learn(network, optimizer, 1)
        after = network.state_dict()
        changes[name] = {key: after[key] - before[key] for key in before}
    hidden = "blocks.0.outer.weight"
    # The first step of AdamW is the learning rate, for every weight whose gradient is not 0.
    assert changes["adamw"][hidden].abs().median().item() == pytest.approx(1e-2, rel=0.01)
    assert 0.05e-2 < changes["muon"][hidden].square().mean().sqrt().item() < 0.25e-2
    for key in ("cells.weight", "cells.bias", "placements.weight", "blocks.0.outer.bias"):
        torch.testing.assert_close(changes["muon"][key], changes["adamw"][key])


def test_muon_learns_and_weights_decay():
    network, optimizer = make("muon", weight_decay=0.0)
    other, decaying = make("muon", weight_decay=10.0)
    losses = learn(network, optimizer, 20)
    assert losses[-1] < 0.5 * losses[0]
    learn(other, decaying, 20)
    norms = [it.blocks[0].message.weight.norm().item() for it in (network, other)]
    assert norms[1] < 0.5 * norms[0]


def test_muon_takes_the_hidden_layers():
    torch.manual_seed(0)
    network = CellNetwork(Variant(), 16, 2, 2)
    optimizer = Optimizer(network, TrainConfig.of("alphazero", weight_decay=0.0))
    learn(network, optimizer, 2)  # at first, the last layers are 0 and no other has a gradient
    shapes = sorted(tuple(part.param_groups[0]["params"][0].shape) for part in optimizer.parts[1:])
    assert shapes == [(16, 16), (16, 32), (32, 16)]
    # It started from 0, and had its first gradient in the second step.
    values = torch.linalg.svdvals(network.blocks[0].outer.weight / (1e-2 * 0.2 * 32**0.5))
    assert ((0.6 < values) & (values < 1.3)).sum() >= 12


@pytest.mark.parametrize("name", ["adamw", "muon"])
def test_an_optimizer_goes_on_from_its_state(name):
    network, optimizer = make(name)
    learn(network, optimizer, 3)
    other, resumed = make(name)
    other.load_state_dict(network.state_dict())
    resumed.load_state_dict(copy.deepcopy(optimizer.state_dict()))
    learn(network, optimizer, 3)
    learn(other, resumed, 3)
    for weight, same in zip(network.parameters(), other.parameters(), strict=True):
        assert torch.equal(weight, same)


def test_the_state_of_another_optimizer_is_refused():
    _, muon = make("muon")
    _, adamw = make("adamw")
    for optimizer, other in [(muon, adamw), (adamw, muon)]:
        with pytest.raises(ValueError):
            optimizer.load_state_dict(other.state_dict())


def test_muon_in_bfloat16_steps_nearly_as_in_float32():
    weights = {}
    for precision in ("float32", "bfloat16"):
        network, optimizer = make("muon", precision=precision)
        before = network.blocks[0].outer.weight.detach().clone()
        learn(network, optimizer, 1)
        after = network.blocks[0].outer.weight.detach()
        assert after.dtype == torch.float32
        weights[precision] = (after - before).flatten()
    changes = torch.stack(list(weights.values()))
    assert torch.nn.functional.cosine_similarity(*changes, dim=0).item() > 0.9
    assert not torch.equal(*changes)  # it was not float32
