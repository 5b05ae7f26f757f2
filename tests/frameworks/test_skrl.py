"""The environments in skrl's wrapper and trainer, which need no adapter."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
import torch
from integration_pages import run_page
from skrl.envs.wrappers.torch import wrap_env

import mijnlieff
from mijnlieff import NetworkPolicy, VectorEnv
from mijnlieff.envs import MaskInObservation

NAME = "mijnlieff:Mijnlieff-v0"


@pytest.mark.parametrize("mode", ["vector_entry_point", "sync"])
@pytest.mark.parametrize("masked", [False, True])
def test_their_wrapper_plays_and_draws_the_games(mode, masked):
    plain = gymnasium.make_vec(NAME, num_envs=3, vectorization_mode=mode, render_mode="ansi")
    env = wrap_env(MaskInObservation(plain) if masked else plain, verbose=False)
    env._seed = 4
    observations, info = env.reset()
    twin = VectorEnv(3, opponent="random", autoreset=plain.metadata["autoreset_mode"])
    expected, _ = twin.reset(seed=4)
    for _ in range(30):
        # A dictionary is flattened in the order of its names: the mask is first.
        shown = observations[:, 65:] if masked else observations
        assert np.array_equal(shown.numpy(), expected)
        if masked:
            assert np.array_equal(observations[:, :65].numpy(), info["action_mask"])
        assert list(env.render()) == [str(position) for position in twin.positions()]
        actions = twin.sample_actions()
        observations, rewards, terminated, truncated, info = env.step(
            torch.from_numpy(actions)[:, None]
        )
        expected, *theirs, _ = twin.step(actions)
        for ours, their in zip((rewards, terminated, truncated), theirs, strict=True):
            assert np.array_equal(ours.numpy()[:, 0], their)
    env.close()


def test_the_example_of_the_page_learns(tmp_path, monkeypatch):
    """With pictures on, as their trainer asks for them by default."""
    monkeypatch.chdir(tmp_path)
    scope = run_page("skrl.md")

    @torch.no_grad()
    def logits(observations, masks):
        return scope["policy"].body(torch.from_numpy(observations))

    report = mijnlieff.evaluate(NetworkPolicy(logits), "random", games=400)
    assert report.score > 0.6
