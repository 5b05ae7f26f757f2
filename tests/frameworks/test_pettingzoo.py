"""PettingZoo's checks for its oldest and newest version; more of them are in tests/python."""

from __future__ import annotations

import copy
import pickle
import sys
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import pettingzoo
    from pettingzoo.test import api_test, performance_benchmark, render_test, seed_test
    from pettingzoo.utils import random_demo, turn_based_aec_to_parallel

from mijnlieff import Board, Variant, mijnlieff_v0

OPTIONS = [
    {},
    {"observation": "flat", "dtype": "uint8"},
    {"reward": "margin"},
    {"variant": Variant(Board.from_text("###\n#.#\n###"), "corner", 1)},
    {"variant": Variant(Board.from_text("########\n########"), "anywhere", 3)},
]
# What PettingZoo says about every observation that is a dict, its own board games included.
DICTS = (
    "ignore:Observation(s| space)?.*(not a NumPy array|should be gymnasium.spaces).*:UserWarning"
)
pytestmark = [pytest.mark.filterwarnings("error"), pytest.mark.filterwarnings(DICTS)]


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_api_test(options):
    api_test(mijnlieff_v0.env(**options), num_cycles=200)
    api_test(mijnlieff_v0.raw_env(**options), num_cycles=200)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
def test_seed_test(options):
    seed_test(lambda: mijnlieff_v0.env(**options), num_cycles=100)


def test_render_test(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("SDL_AUDIODRIVER", "dummy")
    monkeypatch.setitem(mijnlieff_v0.raw_env.metadata, "render_fps", 1000)
    render_test(
        mijnlieff_v0.env, custom_tests={"ansi": lambda text: text.splitlines()[0].strip() != ""}
    )


def test_games_can_be_pickled_and_copied_midway():
    env = mijnlieff_v0.env()
    env.reset(seed=0)
    for action in (0, 17):
        env.step(action)
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        seen, expected = other.last()[0], env.last()[0]
        assert all(np.array_equal(seen[key], expected[key]) for key in expected)


def test_a_parallel_view_plays_a_whole_game():
    env = turn_based_aec_to_parallel(mijnlieff_v0.raw_env())
    seen, _ = env.reset(seed=0)
    rewards = dict.fromkeys(env.agents, 0.0)
    for _ in range(40):
        actions = {
            agent: int(np.argmax(seen[agent]["action_mask"])) for agent in env.agents
        }  # off turn the mask is zero, and the action is not used
        seen, gained, *_ = env.step(actions)
        for agent, reward in gained.items():
            rewards[agent] += reward
        if not env.agents:
            break
    assert not env.agents and sum(rewards.values()) == 0


def test_random_demo_ends():
    assert sum(random_demo(mijnlieff_v0.env(), render=False, episodes=2) for _ in range(2)) == 0


def test_make():
    if not hasattr(pettingzoo, "make"):
        # Older versions have no registry. The module still is what `pettingzoo.classic` has.
        assert mijnlieff_v0.env().metadata["name"] == "mijnlieff_v0"
        return
    for name in ("mijnlieff-v0", "mijnlieff_v0", "mijnlieff"):
        env = pettingzoo.make("aec", name, observation="flat")
        env.reset(seed=0)
        assert env.observe("player_0")["observation"].shape == (56,)


def test_performance_benchmark(monkeypatch, capsys):
    """It runs for five seconds of its clock, which is turned forward here."""
    clock = iter(range(10_000))
    module = sys.modules[performance_benchmark.__module__]
    monkeypatch.setattr(module, "time", SimpleNamespace(time=lambda: next(clock)))
    performance_benchmark(mijnlieff_v0.env())
    assert "turns per second" in capsys.readouterr().out
