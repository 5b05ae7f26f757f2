"""Packed observations, expanded on whatever holds them."""

from __future__ import annotations

import numpy as np
import pytest

from mijnlieff import Board, Variant, VariantError, VectorEnv
from mijnlieff.encoding import expand_packed

pytestmark = pytest.mark.torch

VARIANTS = [
    Variant(),
    Variant(copies=3, opening="anywhere"),
    Variant(Board.from_text("##..\n####\n.#.#"), copies=1),
]


def batches(variant):
    env = VectorEnv(50, variant, observation="packed")
    packed, _ = env.reset(seed=0)
    for _ in range(25):
        yield packed, env.positions()
        packed = env.step(env.sample_actions())[0]


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
@pytest.mark.parametrize("layout", ["flat", "planes"])
def test_expanded_observations_are_the_observations(variant, layout):
    for packed, positions in batches(variant):
        expected = np.stack([position.observation(layout) for position in positions])
        expanded = expand_packed(packed, variant, layout)
        assert expanded.dtype == np.float32
        assert np.array_equal(expanded, expected)
    assert np.array_equal(expand_packed(packed[7], variant, layout), expected[7])
    pairs = expand_packed(packed.reshape(25, 2), variant, layout)
    assert np.array_equal(pairs.reshape(expected.shape), expected)


@pytest.mark.parametrize("variant", VARIANTS, ids=str)
@pytest.mark.parametrize("layout", ["flat", "planes"])
def test_tensors_expand_alike(variant, layout):
    torch = pytest.importorskip("torch")
    for packed, _ in batches(variant):
        expected = expand_packed(packed, variant, layout)
        for tensor in (torch.from_numpy(packed), torch.from_numpy(packed.view(np.int64))):
            expanded = expand_packed(tensor, variant, layout)
            assert expanded.dtype == torch.float32
            assert np.array_equal(expanded.numpy(), expected)
    torch.set_default_dtype(torch.float64)
    try:
        assert expand_packed(tensor, variant, layout).dtype == torch.float32
    finally:
        torch.set_default_dtype(torch.float32)
    if torch.cuda.is_available():
        expanded = expand_packed(torch.from_numpy(packed).cuda(), variant, layout)
        assert np.array_equal(expanded.cpu().numpy(), expected)
    with pytest.raises(TypeError, match=r"not torch\.float32"):
        expand_packed(torch.zeros(3), variant, layout)


def test_bad_input():
    with pytest.raises(TypeError, match="uint64, not int64"):
        expand_packed(np.zeros(3, np.int64))
    with pytest.raises(ValueError, match="unknown layout 'packed'"):
        expand_packed(np.zeros(3, np.uint64), layout="packed")
    for variant in (Variant(copies=4), Variant(Board.from_text("#" * 17))):
        with pytest.raises(VariantError, match="at most 16 cells and 3 copies"):
            expand_packed(np.zeros(3, np.uint64), variant)
