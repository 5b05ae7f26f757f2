"""MaskInObservation: the environment's own games, with the mask in the observation."""

from __future__ import annotations

import pickle
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv

from mijnlieff import Board, MijnlieffEnv, Variant, VectorEnv
from mijnlieff.envs import MaskInObservation

MODES = {
    "same_step": AutoresetMode.SAME_STEP,
    "next_step": AutoresetMode.NEXT_STEP,
    "disabled": AutoresetMode.DISABLED,
}
GAMES = 5


def native(mode: str, **options):
    return VectorEnv(GAMES, opponent="random", autoreset=mode, **options)


def sync(mode: str, **options):
    return SyncVectorEnv([lambda: MijnlieffEnv(**options)] * GAMES, autoreset_mode=MODES[mode])


def assert_same(one, other):
    """The same values, of the same types, however deep."""
    if isinstance(one, dict):
        assert one.keys() == other.keys()
        for key in one:
            assert_same(one[key], other[key])
    elif isinstance(one, np.ndarray) and one.dtype != object:
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other)
    elif isinstance(one, np.ndarray):
        assert len(one) == len(other)
        for it, its in zip(one, other, strict=True):
            assert_same(it, its)
    else:
        assert type(one) is type(other) and one == other


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"observation": "planes", "dtype": "uint8", "opponent": "greedy"},
        {"observation": "packed", "opponent": None, "illegal_action": "raise"},
        {"variant": Variant(Board.from_text("###.\n####\n.###"), "anywhere", 3)},
    ],
    ids=str,
)
def test_a_single_environment_plays_the_same_game(options):
    plain = MijnlieffEnv(**options)
    env = MaskInObservation(MijnlieffEnv(**options), "observation", "int8")
    draw = np.random.default_rng(1)
    for seed in (3, None, None):
        seen, info = plain.reset(seed=seed)
        given, given_info = env.reset(seed=seed)
        over = False
        while True:
            assert_same(given, {"observation": seen, "action_mask": info["action_mask"]})
            assert_same(given_info, info)
            assert env.observation_space.contains(given)
            if over:
                break
            action = draw.choice(np.flatnonzero(given["action_mask"]))
            seen, reward, over, _, info = plain.step(action)
            given, *rest, given_info = env.step(action)
            assert rest == [reward, over, False]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("make", [native, sync])
def test_a_vector_environment_plays_the_same_games(make, mode):
    plain, env = make(mode), MaskInObservation(make(mode))
    seen, info = plain.reset(seed=4)
    given, given_info = env.reset(seed=4)
    masks, draw, ended = info["action_mask"].copy(), np.random.default_rng(2), 0
    for _ in range(60):
        assert_same(given, {"observations": seen, "action_mask": masks.astype(np.float32)})
        assert_same(given_info["action_mask"], info["action_mask"])
        assert env.observation_space.contains(given)
        assert given["action_mask"].any(axis=1).all()
        actions = np.array([draw.choice(np.flatnonzero(mask)) for mask in masks])
        seen, *results, info = plain.step(actions)
        given, *given_results, given_info = env.step(actions)
        assert_same(np.array(given_results), np.array(results))
        masks = info["action_mask"].copy()
        over = results[1]
        ended += over.sum()
        if "final_obs" in info:
            finals = info.pop("final_obs")
            given_finals = given_info.pop("final_obs")
            for i in range(GAMES):
                if not over[i]:
                    assert finals[i] is given_finals[i] is None
                    continue
                final_mask = info["final_info"]["action_mask"][i]
                only_pass = np.eye(65, dtype=np.float32)[64]
                assert_same(given_finals[i], {"observations": finals[i], "action_mask": only_pass})
                assert_same(final_mask.astype(np.float32), only_pass)
                assert env.single_observation_space.contains(given_finals[i])
        if mode == "disabled" and over.any():
            seen, info = plain.reset(options={"reset_mask": over.copy()})
            given, given_info = env.reset(options={"reset_mask": over.copy()})
            # Gymnasium's environments give the infos of the games that were reset.
            masks[over] = info["action_mask"][over]
        assert_same(given_info, info)
    assert ended > 2 * GAMES


def test_arrays_that_are_returned_stay_as_they_are():
    for dtype in ("float32", "int8", "uint8"):
        env = MaskInObservation(native("same_step", copy=False), dtype=dtype)
        given, info = env.reset(seed=0)
        masks = given["action_mask"].copy()
        env.step(info["action_mask"].argmax(axis=1))
        assert given["action_mask"].dtype == dtype
        np.testing.assert_array_equal(given["action_mask"], masks)


def test_gymnasium_finds_nothing_to_complain_about():
    env = MaskInObservation(MijnlieffEnv())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", ".*is different from the unwrapped version.*")
        check_env(env, skip_render_check=True)


def test_registered_environments_can_be_wrapped_and_made_again():
    env = MaskInObservation(gymnasium.make("mijnlieff:Mijnlieff-v0"), dtype="uint8")
    again = gymnasium.make(env.spec)
    assert_same(again.reset(seed=1)[0], env.reset(seed=1)[0])
    batch = MaskInObservation(gymnasium.make_vec("mijnlieff:Mijnlieff-v0", num_envs=2))
    assert batch.reset(seed=1)[0]["action_mask"].shape == (2, 65)


def test_wrapped_environments_are_pickled_in_the_middle_of_a_game():
    for env in (MaskInObservation(MijnlieffEnv()), MaskInObservation(native("next_step"))):
        assert isinstance(env, MaskInObservation)
        given, _ = env.reset(seed=5)
        action = given["action_mask"].argmax(axis=-1)
        copied = pickle.loads(pickle.dumps(env))
        assert type(copied) is type(env)
        assert_same(copied.step(action)[0], env.step(action)[0])


class WithoutMask(gymnasium.Env):
    observation_space = gymnasium.spaces.Discrete(2)
    action_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed=None, options=None):
        return 0, {"score": 1}


def test_environments_that_cannot_be_masked_are_refused():
    with pytest.raises(TypeError, match=r"Gymnasium environment, not <class"):
        MaskInObservation(MijnlieffEnv)
    with pytest.raises(TypeError, match=r"Gymnasium environment, not None"):
        MaskInObservation(None)
    with pytest.raises(TypeError, match=r"only Discrete actions can be masked, not Box"):
        MaskInObservation(gymnasium.make("Pendulum-v1"))
    with pytest.raises(TypeError, match="key must be a string, not 3"):
        MaskInObservation(MijnlieffEnv(), 3)
    with pytest.raises(ValueError, match=r"key must differ from 'action_mask'"):
        MaskInObservation(MijnlieffEnv(), "action_mask")
    with pytest.raises(TypeError, match=r"float32, int8, uint8, not float64"):
        MaskInObservation(native("same_step"), dtype="float64")
    for env in (WithoutMask(), SyncVectorEnv([WithoutMask])):
        with pytest.raises(ValueError, match=r"has no 'action_mask', only score"):
            MaskInObservation(env).reset()


@pytest.mark.parametrize("make", [native, sync])
def test_attributes_and_methods_of_games_are_passed_on(make):
    env = MaskInObservation(make("next_step", render_mode="ansi"))
    observations, _ = env.reset(seed=0)
    assert np.array_equal(env.call("action_masks"), observations["action_mask"])
    assert env.call("render") == tuple(map(str, env.get_attr("position")))
    env.set_attr("level", list(range(GAMES)))
    assert env.get_attr("level") == tuple(range(GAMES))
