"""Stable-Baselines3: models as policies."""

from __future__ import annotations

import copy
import functools
import pickle

import numpy as np
import pytest
import torch
from sb3_contrib import QRDQN
from sb3_setup import IRREGULAR, make, maskable
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.vec_env import (
    DummyVecEnv,
    VecFrameStack,
    VecNormalize,
)

import mijnlieff
from mijnlieff.integrations.sb3 import MijnlieffVecEnv, SB3Policy

# Models as policies


@pytest.fixture(scope="module")
def model():
    return maskable(MijnlieffVecEnv(16)).learn(1024)


def test_a_model_plays_as_it_predicts(model):
    positions = mijnlieff.evaluation.random_openings(300, plies=9, seed=1)
    masks = mijnlieff.encoding.mask_batch(positions)
    predicted, _ = model.predict(
        mijnlieff.encoding.observe_batch(positions), deterministic=True, action_masks=masks
    )
    policy = SB3Policy(model, batch_size=128)
    assert np.array_equal(policy.act_batch(positions), predicted)
    assert policy.act(positions[0]) == predicted[0]
    assert repr(policy) == (
        "SB3Policy(MaskablePPO, observation='flat', deterministic=True, seed=0)"
    )


def test_a_model_draws_as_its_distribution_says(model):
    position = mijnlieff.evaluation.random_openings(1, plies=8, seed=2)[0]
    policy = SB3Policy(model, deterministic=False, seed=4)
    seen, _ = model.policy.obs_to_tensor(position.observation("flat")[None])
    with torch.no_grad():
        distribution = model.policy.get_distribution(seen, position.action_mask()[None])
        expected = distribution.distribution.probs[0].numpy()
    probabilities = policy.action_probabilities([position])[0]
    assert np.allclose(probabilities, expected, atol=1e-6)
    drawn = np.bincount(policy.act_batch([position] * 4000), minlength=65) / 4000
    assert np.abs(drawn - probabilities).max() < 0.05
    again = SB3Policy(model, deterministic=False, seed=4)
    assert np.array_equal(
        np.bincount(again.act_batch([position] * 4000), minlength=65) / 4000, drawn
    )


def test_a_model_is_evaluated_graded_and_ranked(model):
    policy = SB3Policy(model)
    state = torch.get_rng_state()
    report = mijnlieff.evaluate(policy, "random", games=60, seed=0)
    assert report.games == 60
    grade = mijnlieff.grade(policy, positions=60, seed=0)
    assert "optimal" in str(grade)
    table = mijnlieff.tournament({"model": policy, "random": "random"}, games=20, seed=0)
    assert "model" in str(table)
    assert torch.equal(torch.get_rng_state(), state)  # measuring does not disturb a training run


def test_a_model_is_an_opponent(model):
    ours = MijnlieffVecEnv(4, opponent=SB3Policy(model))
    theirs = DummyVecEnv([functools.partial(make, opponent=SB3Policy(model))] * 4)
    for env in (ours, theirs):
        env.seed(0)
        env.reset()
    for _ in range(30):
        actions = ours.action_masks().argmax(axis=1)
        assert np.array_equal(ours.step(actions)[0], theirs.step(actions)[0])


@pytest.mark.parametrize("dtype", ["float32", "uint8"])
@pytest.mark.parametrize("observation", ["flat", "planes"])
def test_models_see_what_they_were_trained_on(observation, dtype):
    env = MijnlieffVecEnv(4, IRREGULAR, observation=observation, dtype=dtype)
    model = maskable(env, policy_kwargs={"net_arch": []})
    seen = env.reset()
    chosen, _ = model.predict(seen, deterministic=True, action_masks=env.action_masks())
    policy = SB3Policy(model)
    assert policy.model.observation == observation
    assert np.array_equal(policy.act_batch(env.get_attr("position")), chosen)


def test_normalized_observations_are_normalized_for_the_policy_too():
    env = VecNormalize(MijnlieffVecEnv(8), norm_reward=False)
    model = maskable(env).learn(256)
    frozen = SB3Policy(model, frozen=True)
    positions = mijnlieff.evaluation.random_openings(100, plies=7, seed=3)
    seen = env.normalize_obs(mijnlieff.encoding.observe_batch(positions))
    masks = mijnlieff.encoding.mask_batch(positions)
    predicted, _ = model.predict(seen, deterministic=True, action_masks=masks)
    assert np.array_equal(SB3Policy(model).act_batch(positions), predicted)
    env.obs_rms.mean += 100  # statistics go on changing in training
    assert np.array_equal(frozen.act_batch(positions), predicted)


@pytest.mark.parametrize("algorithm", [PPO, DQN, QRDQN])
def test_algorithms_without_masks_play_legally(algorithm):
    model = algorithm("MlpPolicy", MijnlieffVecEnv(2), device="cpu")
    policy = SB3Policy(model)
    report = mijnlieff.evaluate(policy, "random", games=20, seed=0)
    assert report.games == 20
    if algorithm is PPO:
        return
    with pytest.raises(ValueError, match="use deterministic=True"):
        SB3Policy(model, deterministic=False)


@pytest.mark.parametrize("before", [0, 256], ids=["new", "trained"])
def test_frozen_policies_stay_and_others_follow(before):
    model = maskable(MijnlieffVecEnv(16), learning_rate=1e-2).learn(before)
    positions = mijnlieff.evaluation.random_openings(200, plies=6, seed=0)
    frozen, live = SB3Policy(model, frozen=True), SB3Policy(model)
    first = frozen.act_batch(positions)
    assert np.array_equal(live.act_batch(positions), first)
    model.learn(2048)
    assert np.array_equal(frozen.act_batch(positions), first)
    assert not np.array_equal(live.act_batch(positions), first)
    for other in (pickle.loads(pickle.dumps(frozen)), copy.deepcopy(frozen)):
        assert np.array_equal(other.act_batch(positions), first)


def test_models_of_other_games_are_refused(model):
    with pytest.raises(TypeError, match="a model of Stable-Baselines3 is needed, not 'model'"):
        SB3Policy("model")
    with pytest.raises(ValueError, match=r"observation space .* those of this package"):
        SB3Policy(PPO("MlpPolicy", "CartPole-v1", device="cpu"))
    with pytest.raises(ValueError, match="action space must be Discrete"):
        SB3Policy(PPO("MlpPolicy", "Pendulum-v1", device="cpu"))
    with pytest.raises(ValueError, match=r"trained with observations \(56,\) and 65 actions"):
        SB3Policy(model).act(mijnlieff.Position(IRREGULAR))
    stacked = maskable(VecFrameStack(MijnlieffVecEnv(2), 2))
    with pytest.raises(ValueError, match="those of this package"):
        SB3Policy(stacked)
