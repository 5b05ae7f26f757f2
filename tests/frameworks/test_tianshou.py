"""Tianshou's PettingZoo wrapper, collectors and deep Q-learning on the two-agent environment."""

from __future__ import annotations

import re

import numpy as np
import pytest
from integration_pages import run_page
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv, SubprocVectorEnv
from tianshou.utils.net.common import Net
from tianshou.utils.torch_utils import policy_within_training_step

from mijnlieff import Board, Position, Variant, mijnlieff_v0
from processes import printed_by_script

OPTIONS = {
    "flat": {"observation": "flat"},
    "planes": {"observation": "planes", "dtype": "uint8"},
    "margin": {"observation": "flat", "reward": "margin"},
    "board": {"variant": Variant(Board.from_blocks([(0, 0), (2, 1)]), "anywhere")},
}


def make_env(**options):
    return PettingZooEnv(mijnlieff_v0.env(**(options or OPTIONS["flat"])))


def randoms(env):
    player = MARLRandomDiscreteMaskedOffPolicyAlgorithm
    players = [player(env.action_space) for _ in env.agents]
    return MultiAgentOffPolicyAlgorithm(algorithms=players, env=env)


def assert_games_are_right(buffer, variant, reward="outcome"):
    """Replays what a buffer holds, ply by ply, and returns the number of games that ended."""
    games = 0
    for part in buffer.buffers:
        position = Position(variant)
        for i in range(len(part)):
            step = part[i]
            player = f"player_{position.to_play}"
            assert step.obs.agent_id == player
            assert np.array_equal(np.asarray(step.obs.mask), position.action_mask() == 1)
            shape = step.obs.obs.shape
            layout = "planes" if len(shape) == 3 else "flat"
            seen = position.observation(layout, step.obs.obs.dtype)
            assert np.array_equal(step.obs.obs, seen)
            position = position.play(int(step.act))
            assert bool(step.terminated) == position.is_over and not step.truncated
            if position.is_over:
                margin = position.margin
                points = margin if reward == "margin" else np.sign(margin)
                assert step.rew.tolist() == [points, -points]
                assert step.info["score"].tolist() == list(position.score)
                assert step.info["winner"] == (-1 if position.winner is None else position.winner)
                position, games = Position(variant), games + 1
            else:
                assert step.rew.tolist() == [0, 0]
    return games


@pytest.mark.parametrize("kind", OPTIONS)
@pytest.mark.parametrize("seed", range(4))
def test_random_games_are_collected_right(kind, seed):
    """With several seeds: the type of an info was once that of the first game, a draw or not."""
    np.random.seed(seed)
    env = make_env(**OPTIONS[kind])
    envs = DummyVectorEnv([lambda: make_env(**OPTIONS[kind])] * 4)
    buffer = VectorReplayBuffer(4 * 500, 4)
    collector = Collector(randoms(env), envs, buffer)
    collector.reset()
    stats = collector.collect(n_episode=24)
    assert stats.returns.shape == (24, 2)
    assert not stats.returns.sum(axis=1).any()
    variant = OPTIONS[kind].get("variant", Variant())
    reward = OPTIONS[kind].get("reward", "outcome")
    assert assert_games_are_right(buffer, variant, reward) == 24


def test_draws_and_wins_fit_one_buffer():
    """Games that end with and without a winner, in both orders, in the buffer of one collector."""
    np.random.seed(0)
    collector = Collector(
        randoms(make_env()), DummyVectorEnv([make_env] * 2), VectorReplayBuffer(4000, 2)
    )
    collector.reset()
    collector.collect(n_episode=120)
    ends = collector.buffer.info.winner[collector.buffer.terminated]
    assert set(ends.tolist()) == {-1, 0, 1}
    assert np.issubdtype(ends.dtype, np.integer)


def test_games_in_other_processes():
    env = make_env()
    envs = SubprocVectorEnv([make_env] * 2, context="spawn")
    try:
        np.random.seed(1)
        buffer = VectorReplayBuffer(2000, 2)
        collector = Collector(randoms(env), envs, buffer)
        collector.reset()
        collector.collect(n_episode=10)
        assert assert_games_are_right(buffer, Variant()) == 10
    finally:
        envs.close()


def dqn(env, horizon):
    model = Net(state_shape=(56,), action_shape=65, hidden_sizes=[32])
    policy = DiscreteQLearningPolicy(model=model, action_space=env.action_space, eps_training=0.3)
    return DQN(
        policy=policy,
        optim=AdamOptimizerFactory(lr=1e-3),
        gamma=1.0,
        n_step_return_horizon=horizon,
        target_update_freq=5,
    )


@pytest.mark.parametrize("seed", range(3))
def test_q_learning_runs_and_plays_legal_actions(seed):
    np.random.seed(seed)
    env = make_env()
    agents = MultiAgentOffPolicyAlgorithm(algorithms=[dqn(env, 2), dqn(env, 2)], env=env)
    buffer = VectorReplayBuffer(4000, 4)
    collector = Collector(agents, DummyVectorEnv([make_env] * 4), buffer, exploration_noise=True)
    collector.reset()
    for _ in range(4):
        with policy_within_training_step(agents.policy):
            collector.collect(n_step=200)
            stats = agents.update(buffer=buffer, sample_size=64)
    losses = stats.get_loss_stats_dict()
    assert len(losses) == 2 and all(np.isfinite(loss) for loss in losses.values())
    assert assert_games_are_right(buffer, Variant()) > 20  # replaying raises at an illegal action


def test_an_even_horizon_ends_at_the_own_next_turn():
    """What the page says: bootstrapped values are the agent's own only after an even number."""
    env = make_env()
    np.random.seed(0)
    buffer = VectorReplayBuffer(1000, 1)
    collector = Collector(randoms(env), DummyVectorEnv([make_env]), buffer)
    collector.reset()
    collector.collect(n_episode=5)
    indices = buffer.sample_indices(0)
    ahead = indices
    for horizon in range(1, 5):
        same = buffer.obs_next.agent_id[ahead] == buffer.obs.agent_id[indices]
        inside = ~buffer.terminated[ahead]
        assert inside.any()
        assert same[inside].all() if horizon % 2 == 0 else not same[inside].any()
        ahead = buffer.next(ahead)


def test_the_examples_of_the_page_run():
    run_page("tianshou.md")


def test_the_example_learns():
    printed = printed_by_script(
        "examples/tianshou_dqn.py", "--epochs", 1, "--games", 300, timeout=400
    )
    said = re.search(r"mean return of Light: (-?[\d.]+) \(", printed)
    assert said and float(said[1]) > 0.1  # a random player gets 0
