"""Stable-Baselines3: against its own vectorisation, checkers, wrappers and training."""

from __future__ import annotations

import copy
import functools
import pickle
import re
import subprocess
import sys
import warnings
from pathlib import Path

import gymnasium
import numpy as np
import pytest
import torch
from sb3_contrib import QRDQN, MaskablePPO
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import (
    DummyVecEnv,
    SubprocVecEnv,
    VecCheckNan,
    VecFrameStack,
    VecMonitor,
    VecNormalize,
)

import mijnlieff
from mijnlieff import OpponentPool
from mijnlieff.integrations.sb3 import MijnlieffVecEnv, SB3Policy, SnapshotCallback

ROOT = Path(__file__).resolve().parents[2]
ID = "mijnlieff:Mijnlieff-v0"
IRREGULAR = mijnlieff.Variant(mijnlieff.Board.from_text("###.\n####\n.###"), opening="anywhere")


@pytest.fixture(autouse=True)
def one_thread():
    torch.set_num_threads(1)


def make(**options):
    return gymnasium.make(ID, **options)


def maskable(env, **options):
    settings = {"n_steps": 16, "batch_size": 64, "n_epochs": 2, "seed": 0, "device": "cpu"}
    settings["policy_kwargs"] = {"net_arch": [32]}
    return MaskablePPO("MlpPolicy", env, **(settings | options))


class Last:
    """Plays the last legal action."""

    def act(self, position):
        return int(position.legal_actions()[-1])


def two_selves():
    first, second = (mijnlieff.FunctionPolicy(fn) for fn in (first_legal, last_legal))
    return OpponentPool([first, second], seed=3)


def first_legal(observations, masks):
    return masks.argmax(axis=1)


def last_legal(observations, masks):
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


# Against the framework's own vectorisation


def assert_same_info(ours, theirs):
    assert ours.keys() == theirs.keys()
    for key, value in ours.items():
        assert type(value) is type(theirs[key]), key
        assert getattr(value, "dtype", None) == getattr(theirs[key], "dtype", None), key
        assert np.array_equal(value, theirs[key]), key


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"opponent": "greedy", "seat": "dark", "reward": "margin"},
        {"opponent": "minimax:1", "seat": "light", "observation": "planes"},
        {"opponent": "perfect:0.9", "variant": IRREGULAR, "dtype": "uint8"},
        {"opponent": Last(), "auto_pass": True, "illegal_action": "raise"},
        {"opponent": two_selves, "random_plies": 6, "observation": "planes", "dtype": "uint8"},
    ],
    ids=["defaults", "greedy", "minimax", "irregular", "policy", "pool"],
)
def test_every_game_is_that_of_a_dummy_vec_env(options):
    def fresh():
        return {name: two_selves() if it is two_selves else it for name, it in options.items()}

    ours = MijnlieffVecEnv(6, **fresh())
    theirs = DummyVecEnv([functools.partial(make, **fresh()) for _ in range(6)])
    assert ours.observation_space == theirs.observation_space
    assert ours.action_space == theirs.action_space
    rng = np.random.default_rng(0)
    ended = illegal = 0
    for seed in (11, None):  # the second time without a seed, and in the middle of games
        if seed is not None:
            assert list(ours.seed(seed)) == list(theirs.seed(seed)) == [seed + i for i in range(6)]
        one, two = ours.reset(), theirs.reset()
        assert one.dtype == two.dtype and np.array_equal(one, two)
        for step in range(120):
            masks = np.stack(theirs.env_method("action_masks"))
            assert masks.dtype == get_action_masks(ours).dtype
            assert np.array_equal(get_action_masks(ours), masks)
            assert ours.get_attr("position") == theirs.get_attr("position")
            actions = (masks * rng.random(masks.shape)).argmax(axis=1)
            if options.get("illegal_action") != "raise" and step % 10 == 0:
                actions[step % 6] = rng.integers(65) % masks.shape[1]
            results = [env.step(actions) for env in (ours, theirs)]
            for one, two in zip(*(result[:3] for result in results), strict=True):
                assert one.dtype == two.dtype and np.array_equal(one, two)
            for one, two in zip(*(result[3] for result in results), strict=True):
                assert_same_info(one, two)
                illegal += one.get("illegal", False)
            for one, two in zip(ours.reset_infos, theirs.reset_infos, strict=True):
                assert_same_info(one, two)
            ended += int(results[0][2].sum())
    assert ended > 60
    assert (illegal > 0) == (options.get("illegal_action") != "raise")


def test_games_do_not_depend_on_how_many_there_are():
    small, large = MijnlieffVecEnv(2), MijnlieffVecEnv(5)
    small.seed(13)
    large.seed(10)
    one, two = small.reset(), large.reset()
    for _ in range(50):
        assert np.array_equal(one, two[3:])
        actions = large.action_masks().argmax(axis=1)
        one, two = small.step(actions[3:])[0], large.step(actions)[0]


# The interface of a VecEnv


@pytest.fixture
def env():
    env = MijnlieffVecEnv(3)
    env.seed(0)
    env.reset()
    return env


def test_attributes_of_games(env):
    assert env.has_attr("action_masks") and not env.has_attr("difficulty")
    assert env.get_attr("variant", 0) == [mijnlieff.Variant()]
    assert [position.ply <= 1 for position in env.get_attr("position", [0, 2])] == [True, True]
    assert env.get_attr("render_mode") == [None] * 3
    env.set_attr("difficulty", 2, indices=[0, 1])
    assert env.get_attr("difficulty", [1, 0]) == [2, 2]
    assert not env.has_attr("difficulty")  # not of all games
    with pytest.raises(AttributeError, match="no attribute 'difficulty'; they have position"):
        env.get_attr("difficulty")
    with pytest.raises(AttributeError, match="'variant' cannot be set"):
        env.set_attr("variant", None)
    assert env.env_is_wrapped(Monitor) == [False] * 3
    assert env.env_is_wrapped(Monitor, indices=1) == [False]
    assert env.unwrapped is env and env.variant == mijnlieff.Variant()


def test_methods_of_games(env):
    masks = env.env_method("action_masks")
    assert isinstance(masks, list) and masks[0].dtype == bool and masks[0].shape == (65,)
    assert np.array_equal(np.stack(masks), env.action_masks())
    assert np.array_equal(env.env_method("action_masks", indices=[2, 0])[0], masks[2])
    assert np.array_equal(env.env_method("action_masks", indices=np.int64(-1))[0], masks[2])
    assert np.array_equal(env.get_attr("action_masks", 1)[0](), masks[1])
    with pytest.raises(AttributeError, match=r"'reset' .* they have action_masks and render"):
        env.env_method("reset")
    with pytest.raises(TypeError, match="takes no arguments"):
        env.env_method("action_masks", 1)
    with pytest.raises(IndexError, match="no game 3 among 3"):
        env.env_method("action_masks", indices=3)


def test_a_mask_that_a_caller_changes_stays_its_own(env):
    env.env_method("action_masks")[0][:] = False
    _, _, _, infos = env.step(env.action_masks().argmax(axis=1))
    infos[0]["action_mask"][:] = 0
    assert env.action_masks().any(axis=1).all()


def test_seeds_are_used_once_and_checked():
    env = MijnlieffVecEnv(4)
    first, again, later = [], [], []
    for results, seed in ((first, 5), (again, 5), (later, None)):
        if seed is not None:
            env.seed(seed)
        results.append(env.reset())
        results += [env.step(env.action_masks().argmax(axis=1))[0] for _ in range(5)]
    assert np.array_equal(first, again) and not np.array_equal(first, later)
    np.random.seed(0)
    drawn = env.seed()
    np.random.seed(0)
    assert env.seed() == drawn
    with pytest.raises(ValueError, match="-1"):
        env.seed(-1)
    with pytest.raises(ValueError):
        env.seed(2**64 - 3)
    with pytest.raises(TypeError):
        env.seed("zero")
    assert list(env.seed(2**64 - 4)) == list(range(2**64 - 4, 2**64))
    env.reset()


def test_options_of_resets_do_not_exist(env):
    env.set_options()
    env.set_options({})
    env.set_options([{}] * 3)
    with pytest.raises(ValueError, match="unknown reset option 'depth'; there are no options"):
        env.set_options({"depth": 3})
    with pytest.raises(ValueError, match="unknown reset option 'depth'"):
        env.set_options([{}, {"depth": 3}, {}])
    with pytest.raises(ValueError, match="3 games need 3 options, not 2"):
        env.set_options([{}, {}])
    env.reset()


def test_pictures():
    pytest.importorskip("PIL", reason="pictures need Pillow")
    env = MijnlieffVecEnv(3, render_mode="rgb_array")
    env.reset()
    images = env.get_images()
    assert len(images) == 3 and images[0].dtype == np.uint8 and images[0].ndim == 3
    height, width, _ = images[0].shape
    assert env.render().shape == (2 * height, 2 * width, 3)  # SB3 tiles them
    assert np.array_equal(env.env_method("render", indices=1)[0], images[1])
    assert env.metadata["render_fps"] == 2
    texts = MijnlieffVecEnv(2, render_mode="ansi")
    texts.reset()
    assert texts.env_method("render") == [str(it) for it in texts.get_attr("position")]
    with pytest.warns(UserWarning, match="rgb_array"):
        assert texts.get_images() == [None, None]
    with pytest.raises(ValueError, match="human"):
        MijnlieffVecEnv(2, render_mode="human")


def test_copies_and_pickles_go_on_alike(env):
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        here = copy.deepcopy(env)
        for _ in range(30):
            actions = here.action_masks().argmax(axis=1)
            one, two = here.step(actions), other.step(actions)
            assert np.array_equal(one[0], two[0]) and np.array_equal(one[1], two[1])


def test_a_closed_environment_says_so(env):
    env.close()
    env.close()
    with pytest.raises(mijnlieff.ClosedEnvError):
        env.reset()
    with pytest.raises(mijnlieff.ClosedEnvError):
        env.step([0] * 3)


def test_misuse_is_refused_with_what_to_use(env):
    with pytest.raises(ValueError, match=r"self-play.*OpponentPool.*mijnlieff\.VectorEnv"):
        MijnlieffVecEnv(2, opponent=None)
    with pytest.raises(ValueError, match="choose 'flat' or 'planes'"):
        MijnlieffVecEnv(2, observation="packed")
    with pytest.raises(ValueError, match=r"mijnlieff\.VectorEnv for 'next_step'"):
        MijnlieffVecEnv(2, autoreset="next_step")
    with pytest.raises(ValueError, match="copy=False"):
        MijnlieffVecEnv(2, copy=False)
    assert MijnlieffVecEnv(2, autoreset="same_step", copy=True).num_envs == 2
    with pytest.raises(TypeError, match="oponent"):
        MijnlieffVecEnv(2, oponent="greedy")
    with pytest.raises(ValueError, match="0"):
        MijnlieffVecEnv(0)
    with pytest.raises(RuntimeError, match="step_async"):
        env.step_wait()
    raising = MijnlieffVecEnv(2, illegal_action="raise")
    with pytest.raises(mijnlieff.GameOverError):
        raising.step([0, 0])
    raising.seed(0)
    before = raising.reset()
    with pytest.raises(mijnlieff.IllegalMoveError) as caught:
        raising.step([int(raising.action_masks()[0].argmax()), 64])
    assert caught.value.env_index == 1
    with pytest.raises(RuntimeError, match="step_async"):  # the refused actions are gone
        raising.step_wait()
    assert np.array_equal(raising.reset().shape, before.shape)


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
    positions = mijnlieff.random_openings(50, plies=6, seed=0)
    assert (SB3Policy(loaded).act_batch(positions) == SB3Policy(model).act_batch(positions)).all()


def test_training_depends_on_the_seed_only():
    def trained(seed):
        model = maskable(MijnlieffVecEnv(16, opponent="greedy"), seed=seed)
        return next(model.learn(1000).policy.parameters()).detach().numpy()

    assert np.array_equal(trained(1), trained(1)) and not np.array_equal(trained(1), trained(2))


def test_a_trained_model_depends_on_the_games_and_not_on_who_vectorises():
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


# Models as policies


@pytest.fixture(scope="module")
def model():
    return maskable(MijnlieffVecEnv(16)).learn(1024)


def test_a_model_plays_as_it_predicts(model):
    positions = mijnlieff.random_openings(300, plies=9, seed=1)
    masks = mijnlieff.mask_batch(positions)
    predicted, _ = model.predict(
        mijnlieff.observe_batch(positions), deterministic=True, action_masks=masks
    )
    policy = SB3Policy(model, batch_size=128)
    assert np.array_equal(policy.act_batch(positions), predicted)
    assert policy.act(positions[0]) == predicted[0]
    assert repr(policy) == (
        "SB3Policy(MaskablePPO, observation='flat', deterministic=True, seed=0)"
    )


def test_a_model_draws_as_its_distribution_says(model):
    position = mijnlieff.random_openings(1, plies=8, seed=2)[0]
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
    assert policy.observation == observation
    assert np.array_equal(policy.act_batch(env.get_attr("position")), chosen)


def test_normalised_observations_are_normalised_for_the_policy_too():
    env = VecNormalize(MijnlieffVecEnv(8), norm_reward=False)
    model = maskable(env).learn(256)
    frozen = SB3Policy(model, frozen=True)
    positions = mijnlieff.random_openings(100, plies=7, seed=3)
    seen = env.normalize_obs(mijnlieff.observe_batch(positions))
    masks = mijnlieff.mask_batch(positions)
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
    positions = mijnlieff.random_openings(200, plies=6, seed=0)
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
    positions = mijnlieff.random_openings(50, plies=6, seed=0)
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


# What the documentation shows


def run(*command):
    done = subprocess.run(
        [sys.executable, *map(str, command)], capture_output=True, text=True, timeout=240, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_example_runs():
    said = run(
        "examples/sb3_maskable_ppo.py", "--steps", 2048, "--envs", 16, "--games", 40, "--graded", 40
    )
    assert len(re.findall(r"^score against \w+: 0\.\d+ \(", said, re.MULTILINE)) == 2
    assert "optimal" in said


def test_the_benchmark_runs():
    said = run("benches/frameworks/sb3.py", "--envs", 1, "--steps", 20)
    assert len(re.findall(r"[\d.]+ times", said)) >= 2


def test_the_page_runs(tmp_path, monkeypatch):
    text = (ROOT / "docs/integrations/stable-baselines3.md").read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert blocks
    monkeypatch.chdir(tmp_path)
    scope = {"__name__": "page"}
    for block in blocks:
        exec(compile(block, "stable-baselines3.md", "exec"), scope)
