"""Examples that a user copies from must be right."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import numpy as np
import pytest

from mijnlieff import VectorEnv

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def load(name):
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["numpy", "cpu"])
def test_what_is_expanded_on_a_device_is_what_the_environment_gives(name):
    if name == "cpu":
        pytest.importorskip("torch")
    example = load("packed_on_device")
    device = example.Device(name)
    packed_env, flat_env = VectorEnv(64, observation="packed"), VectorEnv(64)
    packed, _ = packed_env.reset(seed=0)
    flat, info = flat_env.reset(seed=0)
    for _ in range(40):
        seen, legal = map(device.fetch, device.see(packed))
        assert seen.dtype == np.float32 and np.array_equal(seen, flat)
        assert np.array_equal(legal, info["action_mask"].astype(bool))
        actions = flat_env.sample_actions()
        packed = packed_env.step(actions)[0]
        flat, _, _, _, info = flat_env.step(actions)
    assert example.play(device, games=64, steps=40) > 64
