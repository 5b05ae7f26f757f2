"""Stable-Baselines3: the vectorized environment, against the framework's own."""

from __future__ import annotations

import copy
import functools
import pickle

import numpy as np
import pytest
from sb3_contrib.common.maskable.utils import get_action_masks
from sb3_setup import IRREGULAR, make
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import (
    DummyVecEnv,
)

import mijnlieff
from mijnlieff.integrations.sb3 import MijnlieffVecEnv
from mijnlieff.policies import OpponentPool
from players import Last, first_legal


def two_selves():
    first, second = (mijnlieff.policies.FunctionPolicy(fn) for fn in (first_legal, last_legal))
    return OpponentPool([first, second], seed=3)


def last_legal(observations, masks):
    return masks.shape[1] - 1 - masks[:, ::-1].argmax(axis=1)


# Against the framework's own vectorization


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
    env.step(env.action_masks().argmax(axis=1))
    positions = env.positions()
    assert len(set(positions)) == 3
    assert env.get_attr("position", [0, 2]) == [positions[0], positions[2]]
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
    with pytest.raises(TypeError, match="indices must be an integer, not True"):
        env.env_method("action_masks", indices=[True, False, True])


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
    for wrong in (3, "x", [1, 2, 3]):
        with pytest.raises(TypeError, match="options are a dictionary, or a list of them, not"):
            env.set_options(wrong)
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
    raising.reset()
    before = raising.get_attr("position")
    with pytest.raises(mijnlieff.IllegalMoveError) as caught:
        raising.step([int(raising.action_masks()[0].argmax()), 64])
    assert caught.value.env_index == 1
    with pytest.raises(RuntimeError, match="step_async"):  # the refused actions are gone
        raising.step_wait()
    assert raising.get_attr("position") == before
