"""The native network with a token for each cell beside the one in PyTorch."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from board_shapes import GAPS
from mijnlieff import Canvas, Network, Variant
from mijnlieff.encoding import observe_batch
from played import games
from random_networks import random_network


def check_same(
    scope: Variant | Canvas, sizes: tuple[int, int, int], observations: np.ndarray
) -> None:
    network = random_network(scope, *sizes, copies=3, seed=2, std=1.2 / sizes[0] ** 0.5)
    native = Network.from_torch(network)
    with torch.no_grad():
        expected = [part.numpy() for part in network(torch.from_numpy(observations))]
    for found, wanted in zip(native.evaluate(observations), expected, strict=True):
        assert np.abs(wanted).max() > 0.1
        np.testing.assert_allclose(found, wanted, rtol=0, atol=0.02)


@pytest.mark.parametrize("variant", [Variant(), Variant(copies=3), GAPS])
@pytest.mark.parametrize("sizes", [(96, 3, 8), (20, 1, 5)])
def test_native_code_evaluates_as_pytorch_does(
    variant: Variant, sizes: tuple[int, int, int]
) -> None:
    positions = games(variant, 12)
    only_pass = [variant.pass_action]
    assert any(list(position.legal_actions()) == only_pass for position in positions)
    check_same(variant, sizes, observe_batch(positions, "flat"))


@pytest.mark.parametrize("sizes", [(96, 3, 8), (20, 1, 5)])
def test_native_code_evaluates_boards_on_a_canvas(sizes: tuple[int, int, int]) -> None:
    canvas = Canvas(5, 6)
    positions = games(GAPS, 6) + games(Variant(copies=3), 6)
    check_same(canvas, sizes, observe_batch(positions, canvas=canvas))
