"""Stable-Baselines3: its checkers, wrappers, training, and pools of past selves."""

from __future__ import annotations

import functools
import re
import warnings

import gymnasium
import numpy as np
import pytest
import torch
from integration_pages import run_page
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from sb3_setup import ID, make, maskable
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.vec_env import (
    DummyVecEnv,
    SubprocVecEnv,
    VecCheckNan,
    VecFrameStack,
    VecMonitor,
    VecNormalize,
)

import mijnlieff
from mijnlieff.integrations.sb3 import MijnlieffVecEnv, SB3Policy, SnapshotCallback
from mijnlieff.policies import OpponentPool
from processes import printed_by_script

# The framework's own checks, wrappers and training


@pytest.mark.parametrize(
    "options", [{}, {"dtype": "uint8"}, {"opponent": "greedy", "seat": "dark"}]
)
def test_check_env_of_the_single_environment(options):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(make(**options))


def test_masks_are_found():
    dummy = DummyVecEnv([make])
    for env in (MijnlieffVecEnv(2), make(), dummy, VecMonitor(MijnlieffVecEnv(2))):
        assert is_masking_supported(env)
        env.reset()
        assert get_action_masks(env).dtype == bool


def test_wrappers_of_the_framework():
    env = VecMonitor(VecNormalize(VecCheckNan(VecFrameStack(MijnlieffVecEnv(3), 2))))
    env.reset()
    seen = []
    for _ in range(30):
        masks = get_action_masks(env)
        _, _, _, infos = env.step(masks.argmax(axis=1))
        seen += [info["episode"] for info in infos if "episode" in info]
    assert seen and all(episode["l"] > 3 for episode in seen)


@pytest.mark.parametrize("observation", ["flat", "planes"])
def test_maskable_ppo_learns_without_illegal_actions(observation, tmp_path):
    counts = {"steps": 0, "illegal": 0}

    def count(local_variables, _):
        infos = local_variables["infos"]
        counts["steps"] += len(infos)
        counts["illegal"] += sum(info.get("illegal", False) for info in infos)
        return True

    env = VecMonitor(MijnlieffVecEnv(64, observation=observation, illegal_action="lose"))
    model = maskable(env, learning_rate=1e-3, batch_size=512)
    model.learn(40_000 if observation == "flat" else 4_000, callback=count)
    assert counts["steps"] == model.num_timesteps and counts["illegal"] == 0
    assert len(model.ep_info_buffer) > 0
    model.save(tmp_path / "model")
    loaded = MaskablePPO.load(tmp_path / "model", env=env, device="cpu")
    positions = mijnlieff.evaluation.random_openings(50, plies=6, seed=0)
    assert (SB3Policy(loaded).act_batch(positions) == SB3Policy(model).act_batch(positions)).all()


def test_training_depends_on_the_seed_only():
    def trained(seed):
        model = maskable(MijnlieffVecEnv(16, opponent="greedy"), seed=seed)
        return next(model.learn(1000).policy.parameters()).detach().numpy()

    assert np.array_equal(trained(1), trained(1)) and not np.array_equal(trained(1), trained(2))


def test_a_trained_model_depends_on_the_games_and_not_on_who_vectorizes():
    options = {"opponent": "greedy"}
    native = MijnlieffVecEnv(8, **options)
    dummy = DummyVecEnv([functools.partial(make, **options)] * 8)
    one, two = (
        next(maskable(env).learn(1000).policy.parameters()).detach() for env in (native, dummy)
    )
    assert torch.equal(one, two)


def test_maskable_eval_callback_and_evaluate_policy(tmp_path):
    model = maskable(VecMonitor(MijnlieffVecEnv(8)))
    evaluation = VecMonitor(MijnlieffVecEnv(4))
    callback = MaskableEvalCallback(
        evaluation, n_eval_episodes=12, eval_freq=16, best_model_save_path=tmp_path, verbose=0
    )
    model.learn(512, callback=callback)
    assert -1 <= callback.last_mean_reward <= 1
    assert (tmp_path / "best_model.zip").exists()
    rewards, lengths = evaluate_policy(model, evaluation, 12, return_episode_rewards=True)
    assert len(rewards) == 12 and min(lengths) > 3
    assert set(np.unique(rewards)) <= {-1.0, 0.0, 1.0}


def test_training_in_processes_of_the_single_environment():
    env = SubprocVecEnv([functools.partial(gymnasium.make, ID)] * 2, start_method="spawn")
    try:
        model = maskable(env)
        assert model.learn(64).num_timesteps >= 64
    finally:
        env.close()


def test_algorithms_without_masks_learn_too():
    PPO("MlpPolicy", MijnlieffVecEnv(4), n_steps=16, batch_size=32, device="cpu").learn(128)
    DQN("MlpPolicy", MijnlieffVecEnv(4), learning_starts=32, device="cpu").learn(128)


# Pools of past selves


def test_a_pool_of_past_selves_grows_while_the_model_learns(capsys):
    pool = OpponentPool(["random"], limit=2, seed=0)
    callback = SnapshotCallback(pool, 500, weight=2, verbose=1)
    model = maskable(MijnlieffVecEnv(16, opponent=pool, illegal_action="raise"))
    model.learn(2000, callback=callback)
    # 16 steps of all games are 256 steps; a copy is taken after the first that makes 500.
    assert callback.taken == 4 and len(pool) == 3 and pool.weights == (1.0, 2.0, 2.0)
    assert capsys.readouterr().out.startswith("step 512: 2 opponents in the pool\n")
    older, newer = pool.members[1:]
    positions = mijnlieff.evaluation.random_openings(50, plies=6, seed=0)
    assert not older.is_deterministic
    probabilities = [it.action_probabilities(positions) for it in (older, newer)]
    assert not np.allclose(*probabilities)
    assert not np.allclose(
        probabilities[1], SB3Policy(model, deterministic=False).action_probabilities(positions)
    )


def test_copies_are_counted_over_calls_of_learn():
    pool = OpponentPool(["random"])
    callback = SnapshotCallback(pool, 300)
    model = maskable(MijnlieffVecEnv(16, opponent=pool), n_steps=8)
    for _ in range(5):
        model.learn(128, callback=callback, reset_num_timesteps=False)
    assert model.num_timesteps == 640 and callback.taken == 2
    model.learn(304, callback=callback)  # counts from 0 again
    assert callback.taken == 3


def test_training_against_a_pool_depends_on_the_seeds_only():
    def trained():
        pool = OpponentPool(["random", "greedy"], seed=1)
        model = maskable(MijnlieffVecEnv(16, opponent=pool))
        model.learn(1000, callback=SnapshotCallback(pool, 256))
        return next(model.policy.parameters()).detach().numpy()

    assert np.array_equal(trained(), trained())


def test_bad_settings_of_the_callback():
    with pytest.raises(TypeError, match="pool must be an OpponentPool, not 'random'"):
        SnapshotCallback("random", 10)
    with pytest.raises(ValueError, match="every must be at least 1, not 0"):
        SnapshotCallback(OpponentPool(), 0)
    with pytest.raises(TypeError, match="every"):
        SnapshotCallback(OpponentPool(), 1.5)
    with pytest.raises(ValueError, match="weight must be a finite number above 0, not 0"):
        SnapshotCallback(OpponentPool(), 10, weight=0)
    model = DQN("MlpPolicy", MijnlieffVecEnv(2), device="cpu")
    with pytest.raises(ValueError, match="DQN has values and not probabilities"):
        model.learn(10, callback=SnapshotCallback(OpponentPool(), 10**6))


# What the documentation shows


def test_the_example_runs():
    options = ("--steps", 2048, "--envs", 16, "--games", 40, "--graded", 40)
    said = printed_by_script("examples/sb3_maskable_ppo.py", *options)
    assert len(re.findall(r"^score against \w+: 0\.\d+ \(", said, re.MULTILINE)) == 2
    assert "optimal" in said


def test_the_benchmark_runs():
    said = printed_by_script("benches/frameworks/sb3_games.py", "--envs", 1, "--steps", 20)
    assert len(re.findall(r" [\d.,]+ x DummyVecEnv$", said, re.MULTILINE)) == 2


def test_the_page_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run_page("stable-baselines3.md")
