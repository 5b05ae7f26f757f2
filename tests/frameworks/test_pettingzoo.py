"""What PettingZoo has for games of two agents; its checks are in tests/python/envs."""

from __future__ import annotations

import sys
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    from pettingzoo.test import performance_benchmark
    from pettingzoo.utils import random_demo, turn_based_aec_to_parallel

from mijnlieff import mijnlieff_v0

# What PettingZoo says about every observation that is a dict, its own board games included.
DICTS = (
    "ignore:Observation(s| space)?.*(not a NumPy array|should be gymnasium.spaces).*:UserWarning"
)
pytestmark = [pytest.mark.filterwarnings("error"), pytest.mark.filterwarnings(DICTS)]


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


def test_performance_benchmark(monkeypatch, capsys):
    """It runs for five seconds of its clock, which is turned forward here."""
    clock = iter(range(10_000))
    module = sys.modules[performance_benchmark.__module__]
    monkeypatch.setattr(module, "time", SimpleNamespace(time=lambda: next(clock)))
    performance_benchmark(mijnlieff_v0.env())
    assert "turns per second" in capsys.readouterr().out
