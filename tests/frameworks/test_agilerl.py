"""The environments in AgileRL's agents, which need no adapter."""

from __future__ import annotations

import numpy as np
import torch
from agilerl.algorithms.dqn import DQN
from integration_pages import run_page

from mijnlieff import NetworkPolicy, VectorEnv, evaluate


def test_actions_of_an_agent_are_legal():
    games = VectorEnv(32, opponent="random", illegal_action="raise")
    agent = DQN(games.single_observation_space, games.single_action_space)
    observations, info = games.reset(seed=0)
    ended = 0
    for step in range(40):
        actions = agent.get_action(observations, step % 2, info["action_mask"])
        assert info["action_mask"][np.arange(32), actions].all()
        observations, _, terminated, _, info = games.step(actions)
        ended += int(terminated.sum())
    assert ended > 32


def test_the_example_of_the_page_learns(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    scope = run_page("agilerl.md")

    @torch.no_grad()
    def values(observations, masks):
        return scope["agent"].actor(torch.from_numpy(observations)).numpy()

    assert evaluate(NetworkPolicy(values), "random", games=400).score > 0.65
