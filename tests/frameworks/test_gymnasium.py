"""Gymnasium's wrappers, which differ between its versions; its checks are in tests/python/envs."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium import wrappers
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from gymnasium.wrappers import vector as vector_wrappers

from mijnlieff import MijnlieffEnv, Variant, VectorEnv

NAME = "mijnlieff:Mijnlieff-v0"
MODES = list(AutoresetMode)


def same(ours, theirs) -> bool:
    """Whether two entries of an info are equal, in the games that have them."""
    if isinstance(ours, dict):
        return set(ours) == set(theirs) and all(same(ours[key], theirs[key]) for key in ours)
    if ours is None or theirs is None:
        return ours is theirs
    if np.asarray(ours).dtype == object:
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return np.array_equal(ours, theirs)


@pytest.mark.parametrize("mode", MODES)
def test_infos_as_lists_are_those_of_single_environments(mode):
    options = {"opponent": "random", "illegal_action": "raise"}
    native = vector_wrappers.DictInfoToList(VectorEnv(3, autoreset=mode, **options))
    singles = vector_wrappers.DictInfoToList(
        SyncVectorEnv([lambda: MijnlieffEnv(**options)] * 3, autoreset_mode=mode)
    )
    listed = [env.reset(seed=2)[1] for env in (native, singles)]
    ended = 0
    for _ in range(40):
        for ours, theirs in zip(*listed, strict=True):
            assert set(theirs) <= set(ours)
            assert all(same(ours[key], theirs[key]) for key in ours.keys() & theirs.keys())
            ended += "winner" in ours.get("final_info", ours)
        actions = native.unwrapped.sample_actions()
        steps = [env.step(actions) for env in (native, singles)]
        over = steps[0][2]
        listed = [step[4] for step in steps]
        if mode is AutoresetMode.DISABLED and over.any():
            listed = [
                env.reset(options={"reset_mask": over.copy()})[1] for env in (native, singles)
            ]
            ended += over.sum()
    assert ended >= 3


@pytest.mark.parametrize("mode", [AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP])
def test_episode_statistics_are_those_of_single_environments(mode):
    """Older versions count a step too few in same-step mode, for every environment."""
    options = {"opponent": "random", "illegal_action": "raise", "reward": "margin"}
    native = vector_wrappers.RecordEpisodeStatistics(VectorEnv(4, autoreset=mode, **options))
    singles = vector_wrappers.RecordEpisodeStatistics(
        SyncVectorEnv([lambda: MijnlieffEnv(**options)] * 4, autoreset_mode=mode)
    )
    for env in (native, singles):
        env.reset(seed=3)
    for _ in range(60):
        actions = native.unwrapped.sample_actions()
        (_, _, over, _, ours), (*_, theirs) = native.step(actions), singles.step(actions)
        assert ("episode" in ours) == ("episode" in theirs) == over.any()
        if over.any():
            assert np.array_equal(ours["_episode"], theirs["_episode"])
            for key in ("r", "l"):
                assert np.array_equal(ours["episode"][key], theirs["episode"][key])
    assert native.episode_count == singles.episode_count > 15


# Gymnasium refuses those of observations in same-step mode, for all environments.
OBSERVATION_WRAPPERS = {
    "DtypeObservation": lambda env: vector_wrappers.DtypeObservation(env, np.int16),
    "FlattenObservation": vector_wrappers.FlattenObservation,
    "ReshapeObservation": lambda env: vector_wrappers.ReshapeObservation(env, (2, 28)),
}
VECTOR_WRAPPERS = {
    "ClipReward": lambda env: vector_wrappers.ClipReward(env, -0.5, 0.5),
    "NormalizeReward": vector_wrappers.NormalizeReward,
    "TransformAction": lambda env: vector_wrappers.TransformAction(env, lambda action: action),
    "TransformReward": lambda env: vector_wrappers.TransformReward(env, lambda reward: 2 * reward),
}


WRAPPED = [(wrap, mode) for wrap in VECTOR_WRAPPERS for mode in MODES] + [
    (wrap, mode)
    for wrap in OBSERVATION_WRAPPERS
    for mode in (AutoresetMode.NEXT_STEP, AutoresetMode.DISABLED)
]


@pytest.mark.parametrize(("name", "mode"), WRAPPED)
def test_vector_wrappers_do_what_they_do_to_single_environments(name, mode):
    wrap = (VECTOR_WRAPPERS | OBSERVATION_WRAPPERS)[name]
    options = {"opponent": "random", "illegal_action": "raise", "dtype": "uint8"}
    batch = VectorEnv(4, autoreset=mode, **options)
    singles = SyncVectorEnv([lambda: MijnlieffEnv(**options)] * 4, autoreset_mode=mode)
    native, other = wrap(batch), wrap(singles)
    assert np.array_equal(native.reset(seed=1)[0], other.reset(seed=1)[0])
    for _ in range(25):
        actions = batch.sample_actions()
        ours, theirs = native.step(actions), other.step(actions)
        assert all(map(np.array_equal, ours[:4], theirs[:4]))
        assert native.observation_space.contains(ours[0])
        if mode is AutoresetMode.DISABLED and ours[2].any():
            for env in (native, other):
                env.reset(options={"reset_mask": ours[2].copy()})


def test_observations_are_normalized_in_the_mode_that_the_wrapper_takes():
    env = VectorEnv(4, opponent="random", autoreset="next_step")
    normalized = vector_wrappers.NormalizeObservation(env)
    normalized.reset(seed=0)
    for _ in range(30):
        seen = normalized.step(env.sample_actions())[0]
    assert seen.shape == (4, 56) and np.isfinite(seen).all()


@pytest.mark.parametrize(
    "wrap",
    [
        lambda env: wrappers.RecordEpisodeStatistics(env),
        lambda env: wrappers.Autoreset(env),
        lambda env: wrappers.FlattenObservation(env),
        lambda env: wrappers.FrameStackObservation(env, 2),
        lambda env: wrappers.NormalizeReward(env),
        lambda env: wrappers.TimeLimit(env, 3),
    ],
    ids=["RecordEpisodeStatistics", "Autoreset", "FlattenObservation", "FrameStackObservation",
         "NormalizeReward", "TimeLimit"],
)  # fmt: skip
def test_wrappers_of_single_environments(wrap):
    env = wrap(gymnasium.make(NAME))
    seen, info = env.reset(seed=0)
    truncated = over = False
    for _ in range(20):
        assert env.observation_space.contains(seen)
        assert np.array_equal(env.get_wrapper_attr("action_masks")(), info["action_mask"])
        action = int(np.flatnonzero(info["action_mask"])[0])
        seen, _, over, truncated, info = env.step(action)
        if (over or truncated) and not isinstance(env, wrappers.Autoreset):
            seen, info = env.reset()
    assert not truncated or isinstance(env, wrappers.TimeLimit)


def test_pictures_of_a_game_are_collected(monkeypatch):
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    env = wrappers.RenderCollection(gymnasium.make(NAME, render_mode="rgb_array"))
    _, info = env.reset(seed=0)
    env.step(int(np.flatnonzero(info["action_mask"])[0]))
    frames = env.render()
    assert [frame.dtype for frame in frames] == [np.uint8, np.uint8]


@pytest.mark.parametrize("mode", ["vector_entry_point", "sync"])
def test_batches_answer_for_their_games_alike(mode):
    """What code for Gymnasium's own vector environments asks of the native one."""
    env = gymnasium.make_vec(NAME, num_envs=3, vectorization_mode=mode, render_mode="ansi")
    _, info = env.reset(seed=0)
    for masks in (env.call("action_masks"), env.get_attr("action_masks")):
        assert isinstance(masks, tuple)
        assert np.array_equal(masks, info["action_mask"]) and masks[0].dtype == bool
    positions = env.get_attr("position")
    assert env.call("render") == tuple(map(str, positions))
    assert env.get_attr("variant") == env.call("variant") == (Variant(),) * 3
    assert [space.n for space in env.get_attr("action_space")] == [65] * 3
    env.set_attr("difficulty", [1, 2, 3])
    assert env.get_attr("difficulty") == (1, 2, 3)
    env.set_attr("difficulty", 4)
    assert env.get_attr("difficulty") == (4, 4, 4)
    with pytest.raises(ValueError, match="3"):
        env.set_attr("difficulty", [1, 2])
    with pytest.raises(AttributeError, match="nothing"):
        env.call("nothing")
    env.close()


def test_native_games_are_never_cut_off():
    with pytest.raises(TypeError, match=r"max_episode_steps=3: .*vectorization_mode='sync'"):
        gymnasium.make_vec(
            NAME, num_envs=2, vectorization_mode="vector_entry_point", max_episode_steps=3
        )
