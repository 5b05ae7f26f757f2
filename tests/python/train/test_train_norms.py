"""Norms in bfloat16 on a processor, beside PyTorch's own steps."""

from __future__ import annotations

import pytest
import torch
from torch import Tensor, nn

from mijnlieff import Canvas, Variant
from mijnlieff.encoding import observe_batch
from mijnlieff.evaluation import random_openings
from mijnlieff.train.network import CellNetwork
from mijnlieff.train.network.norms import normalized, normalized_linear
from random_networks import random_network

POSITIONS = 512


def gradients(network: CellNetwork, precision: str) -> dict[str, Tensor]:
    """The gradients of the outputs' squares over many positions, by the name of the weights."""
    observations = observe_batch(
        random_openings(POSITIONS, 6), network.observation, dtype="uint8", canvas=network.canvas
    )
    network.zero_grad()
    outputs = network.outputs_with_regrets(torch.from_numpy(observations), precision)
    torch.stack([it.square().sum() for it in outputs]).sum().backward()
    return {name: weight.grad.clone() for name, weight in network.named_parameters()}


def error(found: Tensor, expected: Tensor) -> float:
    return float((found - expected).norm() / expected.norm())


@pytest.mark.parametrize("scope", [Variant(), Canvas(4, 5)], ids=["board", "canvas"])
def test_gradients_in_bfloat16_are_those_in_float32(scope):
    network = random_network(scope, 64, 2, 8, copies=2)
    expected = gradients(network, "float32")
    for name, found in gradients(network, "bfloat16").items():
        # PyTorch's own norms lose more than half of the gradients of their scales and shifts.
        assert error(found, expected[name]) < 0.05, name


@torch.no_grad()
def test_norms_in_bfloat16_are_those_of_pytorch():
    torch.manual_seed(0)
    norm, layer = nn.LayerNorm(48), nn.Linear(48, 32)
    for weight in (*norm.parameters(), *layer.parameters()):
        nn.init.normal_(weight, std=0.3)
    tokens = torch.randn(5, 7, 48)
    expected = [norm(tokens), layer(norm(tokens))]
    with torch.autocast("cpu", torch.bfloat16):
        half = tokens.bfloat16()
        found = [normalized(norm, half), normalized_linear(norm, layer, half)]
    for it, exact in zip(found, expected, strict=True):
        assert it.dtype == torch.bfloat16 and it.shape == exact.shape
        assert error(it.float(), exact) < 0.02


def test_in_float32_the_steps_are_those_of_pytorch():
    torch.manual_seed(0)
    norm, layer, tokens = nn.LayerNorm(8), nn.Linear(8, 8), torch.randn(5, 7, 8)
    assert torch.equal(normalized(norm, tokens), norm(tokens))
    assert torch.equal(normalized_linear(norm, layer, tokens), layer(norm(tokens)))
