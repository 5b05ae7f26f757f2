"""MijnlieffEnv: Gymnasium's own checks, and the promises about one game."""

from __future__ import annotations

import copy
import pickle
import warnings

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from mijnlieff import (
    Board,
    ClosedEnvError,
    GameOverError,
    GreedyPolicy,
    IllegalMoveError,
    MijnlieffEnv,
    PolicyError,
    Position,
    Variant,
)
from players import First

NAME = "mijnlieff:Mijnlieff-v0"


def play_out(env: gymnasium.Env, seed: int, draw_seed: int = 0) -> list[tuple]:
    draw = np.random.default_rng(draw_seed)
    observation, info = env.reset(seed=seed)
    steps = [(observation, 0.0, False, info)]
    while not steps[-1][2]:
        action = draw.choice(np.flatnonzero(steps[-1][3]["action_mask"]))
        observation, reward, over, truncated, info = env.step(action)
        assert not truncated
        steps.append((observation, reward, over, info))
    return steps


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"opponent": None},
        {"opponent": "minimax:3", "seat": "dark"},
        {"observation": "planes", "dtype": "uint8"},
        {"observation": "packed", "reward": "margin"},
        {"variant": Variant(Board.from_text("###.\n####\n.###"), "anywhere", 3)},
        {"opponent": GreedyPolicy(1), "auto_pass": True},
    ],
    ids=str,
)
def test_gymnasium_finds_nothing_to_complain_about(options):
    pytest.importorskip("PIL")
    env = gymnasium.make(NAME, **options)
    assert isinstance(env.unwrapped, MijnlieffEnv)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check_env(env.unwrapped, skip_render_check=True)


def test_gymnasium_accepts_every_render_mode(monkeypatch):
    pytest.importorskip("pygame")
    pytest.importorskip("PIL")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("SDL_AUDIODRIVER", "dummy")
    monkeypatch.setitem(MijnlieffEnv.metadata, "render_fps", 1000)
    check_env(gymnasium.make(NAME).unwrapped)
    for mode, kind in (("ansi", str), ("rgb_array", np.ndarray), ("human", type(None))):
        env = gymnasium.make(NAME, render_mode=mode, opponent=None)
        env.reset(seed=0)
        before = env.render()
        assert isinstance(before, kind)
        env.step(0)
        assert mode == "human" or not np.array_equal(before, env.render())
        assert pickle.loads(pickle.dumps(env.unwrapped)).position == env.unwrapped.position
        env.close()


@pytest.mark.parametrize("kind", ["single", "two agents"])
def test_a_window_follows_the_game_and_closes(kind, monkeypatch):
    shown: list[Position | str] = []

    class Screen:
        def __init__(self, fps):
            assert fps == 2

        def show(self, position):
            shown.append(position)

        def close(self):
            shown.append("closed")

    monkeypatch.setattr("mijnlieff.render.Window", Screen)
    if kind == "single":
        env = MijnlieffEnv(opponent=None, render_mode="human")
    else:
        env = pytest.importorskip("mijnlieff.mijnlieff_v0").raw_env(render_mode="human")
    assert shown == []
    env.reset()
    env.step(0)
    after = Position().play(0)
    assert shown == [Position(), after]
    copied = copy.deepcopy(env)
    assert env.render() is None and copied.render() is None
    assert shown[2:] == [after, after]
    env.close()
    env.close()
    assert shown[4:] == ["closed"]
    copied.close()
    assert shown[4:] == ["closed", "closed"]


def test_info_and_rewards_of_a_game():
    for seed in range(20):
        env = gymnasium.make(NAME, seat="dark", reward="margin").unwrapped
        steps = play_out(env, seed)
        for observation, reward, _, info in steps[:-1]:
            assert env.observation_space.contains(observation)
            assert reward == 0 and info["to_play"] == 1 and "score" not in info
            assert info["action_mask"].dtype == np.int8
        _, reward, over, info = steps[-1]
        position = env.position
        assert over and position.is_over
        assert reward == -position.margin
        assert info["score"].tolist() == list(position.score)
        assert info["winner"] == (-1 if position.winner is None else position.winner)
        assert info["illegal"].shape == () and not info["illegal"]
        assert info["action_mask"].tolist() == [0] * 64 + [1]
        with pytest.raises(GameOverError, match="over"):
            env.step(64)


def test_every_value_of_info_has_a_dtype():
    """Recorders and vector environments choose their arrays by it."""
    kinds = {
        "action_mask": (np.ndarray, np.int8),
        "to_play": (np.number, np.int8),
        "variant": (np.number, np.int64),
        "score": (np.ndarray, np.int16),
        "winner": (np.number, np.int8),
        "illegal": (np.ndarray, np.bool_),
    }
    for options in ({}, {"opponent": None}, {"variants": [Variant(), Variant(opening="corner")]}):
        ends = set()
        for seed in range(30):
            env = gymnasium.make(NAME, **options).unwrapped
            steps = [(None, 0, False, env.reset(seed=seed)[1])]
            while not steps[-1][2]:  # random actions, of which some are illegal
                random = np.random.default_rng(seed + len(steps))
                mask = steps[-1][3]["action_mask"]
                legal = seed % 2 == 0 or len(steps) < 3
                action = random.choice(np.flatnonzero(mask) if legal else np.flatnonzero(1 - mask))
                observation, reward, over, _, info = env.step(action)
                steps.append((observation, reward, over, info))
            for *_, info in steps:
                for key, value in info.items():
                    kind, dtype = kinds[key]
                    assert isinstance(value, kind) and value.dtype == dtype, key
            ends.add((bool(info["illegal"]), int(info["winner"])))
            assert set(info) == set(kinds) - ({"variant"} if "variants" not in options else set())
        assert len(ends) >= 4


def test_the_same_seed_gives_the_same_game():
    env = gymnasium.make(NAME, opponent="minimax").unwrapped
    first = play_out(env, 3)
    env.reset()
    again = play_out(env, 3)
    for ours, theirs in zip(first, again, strict=True):
        assert np.array_equal(ours[0], theirs[0]) and ours[1] == theirs[1]


class Breaking(First):
    """Plays the first legal action until it is broken."""

    is_broken = False

    def choose(self, position):
        return 64 if self.is_broken else super().choose(position)


def test_a_reset_in_which_the_opponent_fails_changes_nothing():
    player = Breaking()
    env = MijnlieffEnv(opponent=player, seat="dark")
    env.reset(seed=3)
    position, generator = env.position, env.np_random
    drawn = generator.bit_generator.state
    player.is_broken = True
    for seed in (None, 4):
        with pytest.raises(PolicyError, match="chose action 64"):
            env.reset(seed=seed)
        assert env.np_random is generator and env.np_random_seed == 3
        assert generator.bit_generator.state == drawn and env.position == position


def test_masks_for_maskable_algorithms():
    env = gymnasium.make(NAME, opponent=None)
    with pytest.raises(gymnasium.error.ResetNeeded):
        env.unwrapped.action_masks()
    _, info = env.reset(seed=0)
    masks = env.get_wrapper_attr("action_masks")()
    assert masks.dtype == bool
    assert np.array_equal(masks, info["action_mask"])
    masks[:] = False
    assert env.unwrapped.action_masks().any()


def test_an_illegal_action_loses_or_raises():
    env = MijnlieffEnv(opponent=None)
    env.reset(seed=0)
    _, reward, over, _, info = env.step(64)
    assert (reward, over, info["illegal"], info["winner"]) == (-1.0, True, True, 1)
    strict = MijnlieffEnv(opponent=None, illegal_action="raise")
    strict.reset(seed=0)
    with pytest.raises(IllegalMoveError, match=r"action 64 \(pass\)"):
        strict.step(64)
    assert strict.position == Position()
    for bad in (1.0, "a1+", None, True, np.array([1, 2])):
        with pytest.raises(TypeError, match="action must be an integer"):
            strict.step(bad)
    with pytest.raises(IllegalMoveError, match="65 does not exist"):
        env.reset()
        env.step(65)


def test_copies_and_pickles_keep_the_game():
    env = MijnlieffEnv(opponent="random", seat="light")
    env.reset(seed=3)
    env.step(0)
    others = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    while True:
        action = int(np.flatnonzero(env.action_masks())[-1])
        expected = env.step(action)
        for other in others:
            got = other.step(action)
            assert np.array_equal(got[0], expected[0]) and got[1:3] == expected[1:3]
            assert other.position == env.position
        if expected[2]:
            break


def test_bad_options_and_use_after_close():
    with pytest.raises(ValueError, match="unknown render_mode 'video'"):
        MijnlieffEnv(render_mode="video")
    env = MijnlieffEnv()
    with pytest.raises(GameOverError, match="reset"):
        env.step(0)
    with pytest.raises(ValueError, match="unknown reset option 'board'"):
        env.reset(options={"board": 1})
    env.reset(seed=0, options={})
    env.close()
    env.close()
    for use in (env.reset, lambda: env.step(0), env.action_masks):
        with pytest.raises(ClosedEnvError):
            use()


def test_registration_happens_once():
    import mijnlieff

    mijnlieff.register_envs()
    spec = gymnasium.spec("Mijnlieff-v0")
    assert spec.entry_point == "mijnlieff.envs:MijnlieffEnv"
    env = gymnasium.make_vec(NAME, num_envs=3, vectorization_mode="vector_entry_point")
    assert isinstance(env, mijnlieff.VectorEnv)
    assert env.spec.id == "Mijnlieff-v0"
