"""The PettingZoo environment: PettingZoo's own checks, and the game seen by both agents."""

from __future__ import annotations

import copy
import pickle
import warnings

import numpy as np
import pytest

from mijnlieff import Board, ClosedEnvError, GameOverError, IllegalMoveError, Position, Variant
from processes import printed_by

pytest.importorskip("pettingzoo")
pytest.importorskip("pygame")  # PettingZoo's tests import a game that draws with it

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)
    import pettingzoo
    from pettingzoo.test import api_test, render_test, seed_test

from mijnlieff import mijnlieff_v0

OPTIONS = [
    {},
    {"observation": "flat", "dtype": "uint8"},
    {"reward": "margin", "variant": Variant(Board.from_text("###\n#.#\n###"), "corner", 1)},
    {"variant": Variant(Board.from_text("########\n########"), "anywhere", 3)},
]
# What PettingZoo says about every observation that is a dict, its own board games included.
DICTS = (
    "ignore:Observation(s| space)?.*(not a NumPy array|should be gymnasium.spaces).*:UserWarning"
)


@pytest.mark.parametrize("options", OPTIONS, ids=str)
@pytest.mark.filterwarnings(DICTS)
def test_pettingzoo_finds_nothing_to_complain_about(options, capsys):
    api_test(mijnlieff_v0.env(**options), num_cycles=300)
    api_test(mijnlieff_v0.raw_env(**options), num_cycles=300)
    seed_test(lambda: mijnlieff_v0.env(**options), num_cycles=100)
    assert "Passed API test" in capsys.readouterr().out


def test_pettingzoo_accepts_every_render_mode(monkeypatch):
    pytest.importorskip("pygame")
    pytest.importorskip("PIL")
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    monkeypatch.setenv("SDL_AUDIODRIVER", "dummy")
    monkeypatch.setitem(mijnlieff_v0.raw_env.metadata, "render_fps", 1000)
    render_test(
        mijnlieff_v0.env, custom_tests={"ansi": lambda text: text.splitlines()[0].strip() != ""}
    )


def play_out(env, seed):
    """Play a random game; yields the agent, what it saw and what it did."""
    draw = np.random.default_rng(seed)
    env.reset(seed=seed)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, _ = env.last()
        assert not truncated
        legal = np.flatnonzero(observation["action_mask"])
        action = None if terminated else int(draw.choice(legal))
        yield agent, observation, reward, action
        env.step(action)


def test_the_game_is_the_one_of_the_rules():
    for seed in range(10):
        env = mijnlieff_v0.env()
        position, rewards = Position(), {}
        for agent, observation, reward, action in play_out(env, seed):
            if action is None:
                rewards[agent] = reward
                continue
            assert agent == f"player_{position.to_play}"
            assert np.array_equal(observation["observation"], position.observation("planes"))
            assert np.array_equal(observation["action_mask"], position.action_mask())
            other = env.observe(f"player_{1 - position.to_play}")
            assert not other["action_mask"].any()
            seen, theirs = observation["observation"], other["observation"]
            assert np.array_equal(seen[[1, 0, 3, 8, 9, 10, 11]], theirs[[0, 1, 3, 4, 5, 6, 7]])
            assert not theirs[2].any()
            assert np.array_equal(env.state(), seen)
            position = position.play(action)
        sign = np.sign(position.margin)
        assert rewards == {"player_0": sign, "player_1": -sign}


def test_flat_observations_of_the_other_side():
    env = mijnlieff_v0.raw_env(observation="flat")
    env.reset()
    env.step(0)
    own, other = (env.observe(agent)["observation"] for agent in ("player_1", "player_0"))
    assert np.array_equal(own[:16], other[16:32]) and np.array_equal(own[16:32], other[:16])
    assert not other[32:48].any()
    assert np.array_equal(own[48:52], other[52:]) and np.array_equal(own[52:], other[48:52])


def test_margins_and_infos_at_the_end():
    env = mijnlieff_v0.raw_env(reward="margin")
    margins = []
    for seed in range(3, 9):
        steps = list(play_out(env, seed))
        rewards = {agent: reward for agent, _, reward, action in steps if action is None}
        assert env.position.is_over
        margins.append(env.position.margin)
        assert rewards == {"player_0": margins[-1], "player_1": -margins[-1]}
    assert min(margins) < -1 and max(margins) > 1
    env.reset()
    assert env.infos == {"player_0": {}, "player_1": {}}
    assert env.metadata["name"] == "mijnlieff_v0"  # as `pettingzoo.classic` names its games


@pytest.mark.parametrize("wrapped", [False, True])
def test_copies_and_pickles_keep_the_game(wrapped):
    env = mijnlieff_v0.env() if wrapped else mijnlieff_v0.raw_env()
    env.reset()
    for action in (0, 17):
        env.step(action)
    for other in (copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert other.unwrapped.position == env.unwrapped.position
        assert other.agent_selection == env.agent_selection
        action = int(np.flatnonzero(other.observe(other.agent_selection)["action_mask"])[0])
        other.step(action)
        assert other.unwrapped.position == env.unwrapped.position.play(action)


def test_illegal_actions():
    env = mijnlieff_v0.env()
    env.reset()
    env.step(64)
    assert env.terminations == {"player_0": True, "player_1": True}
    assert env.rewards == {"player_0": -1, "player_1": 0}
    raw = mijnlieff_v0.raw_env()
    raw.reset()
    with pytest.raises(IllegalMoveError, match=r"action 64 \(pass\)"):
        raw.step(64)
    assert raw.position == Position()


def test_bad_options_and_order_of_calls():
    for options in ({"observation": "packed"}, {"reward": "win"}, {"render_mode": "video"}):
        with pytest.raises(ValueError, match=f"unknown .*{next(iter(options.values()))}"):
            mijnlieff_v0.raw_env(**options)
    env = mijnlieff_v0.raw_env()
    with pytest.raises(GameOverError, match="reset"):
        env.step(0)
    env.reset()
    with pytest.raises(ValueError, match="unknown agent 'player_2'; choose one of player_0"):
        env.observe("player_2")
    env.close()
    env.close()
    uses = (env.reset, env.last, env.state, env.render, lambda: env.step(0))
    for use in (*uses, lambda: env.observe("player_0")):
        with pytest.raises(ClosedEnvError):
            use()


@pytest.mark.skipif(not hasattr(pettingzoo, "make"), reason="this PettingZoo has no registry")
@pytest.mark.parametrize(
    "imports",
    ["import pettingzoo, mijnlieff", "import pettingzoo; from mijnlieff import mijnlieff_v0"],
)
def test_pettingzoo_makes_the_game(imports):
    program = f"""
{imports}
for name in ("mijnlieff-v0", "mijnlieff_v0", "mijnlieff"):
    env = pettingzoo.make("aec", name, observation="flat")
    env.reset(seed=0)
    assert env.observe("player_0")["observation"].shape == (56,), name
"""
    assert printed_by(program, flags=("-W", "error")) == ""


def test_the_info_at_the_end_has_the_types_of_the_other_environments():
    env = mijnlieff_v0.raw_env()
    env.reset()
    while env.agents and not any(env.terminations.values()):
        env.step(int(env.position.legal_actions()[0]))
    for info in env.infos.values():
        assert info["score"].dtype == np.int16 and info["score"].shape == (2,)
        assert info["score"].tolist() == list(env.position.score)
        expected = env.position.winner
        assert info["winner"] == (-1 if expected is None else expected)
        assert type(info["winner"]) is int
