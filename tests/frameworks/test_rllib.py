"""RLlib: its own checks of the environments, and the plain environments' games."""

from __future__ import annotations

import importlib
import pickle
import re
import sys

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers.vector import DictInfoToList
from integration_pages import run_page
from ray.rllib.env.env_context import EnvContext
from ray.rllib.utils.pre_checks.env import check_multiagent_environments
from rllib_setup import LARGE, SMALL, running_ray, single_agent

import mijnlieff
from mijnlieff import MijnlieffEnv, Position, Variant
from mijnlieff.errors import GameOverError, IllegalMoveError, MissingExtraError
from mijnlieff.integrations import rllib
from mijnlieff.integrations.rllib import (
    MaskedEnv,
    MijnlieffMultiAgentEnv,
)
from processes import printed_by_script


@pytest.fixture(scope="module", autouse=True)
def folder():
    with running_ray() as folder:
        yield folder


# The environments


@pytest.mark.parametrize(
    "config",
    [
        None,
        {"observation": "planes", "reward": "margin", "random_plies": 3},
        {"variant": SMALL, "auto_pass": True, "state_bytes": True},
        {"variant": LARGE, "state_bytes": True},
    ],
    ids=str,
)
def test_rllib_finds_nothing_to_complain_about(config):
    for _ in range(10):  # the check draws an action, which may be illegal
        check_multiagent_environments(MijnlieffMultiAgentEnv(config))


@pytest.mark.parametrize("config", [None, {"opponent": "greedy", "observation": "planes"}], ids=str)
@pytest.mark.filterwarnings("ignore:.*is different from the unwrapped version.*")
def test_gymnasium_finds_nothing_to_complain_about(config):
    with_losses = {**(config or {}), "illegal_action": "lose"}  # the check ignores the mask
    check_env(MaskedEnv(with_losses), skip_render_check=True)
    env = MaskedEnv(EnvContext(config or {}, worker_index=1) | {"num_envs": 3})
    assert env.observation_space.contains(env.reset(seed=0)[0])
    assert env.metadata["autoreset_mode"].name == "NEXT_STEP"


@pytest.mark.parametrize(
    ("config", "variant"),
    [
        ({}, None),
        ({"observation": "planes", "reward": "margin", "state_bytes": True}, None),
        ({"variant": SMALL, "random_plies": 4, "state_bytes": True}, SMALL),
        ({"variant": LARGE, "auto_pass": True, "state_bytes": True}, LARGE),
        ({"variant": SMALL.to_dict()}, SMALL),
        ({"illegal_action": "lose"}, None),
    ],
    ids=str,
)
def test_two_agents_play_the_game_of_the_positions(config, variant):
    """Each step is compared with `Position`, and with `MijnlieffEnv` in self-play."""
    env = MijnlieffMultiAgentEnv(config)
    plain_options = {name: it for name, it in config.items() if name != "state_bytes"}
    plain = MijnlieffEnv(opponent=None, **plain_options)
    layout = config.get("observation", "flat")
    draw = np.random.default_rng(1)

    def check(seen, position, over):
        for agent, observation in seen.items():
            assert env.observation_spaces[agent].contains(observation)
            view = position.observation(layout, np.float32, agent)
            np.testing.assert_array_equal(observation["observations"], view)
            mask = position.action_mask()
            if over:  # also by an illegal action, when there were others
                mask = np.eye(len(mask))[position.variant.pass_action]
            np.testing.assert_array_equal(observation["action_mask"], mask)
            if config.get("state_bytes"):
                words = observation["state_bytes"].view("<u8")
                word = int(words[0]) if len(words) == 1 else words.astype(np.uint64)
                assert Position.from_packed(word, variant).notation == position.notation

    illegal = config.get("illegal_action") == "lose"
    for seed in (7, None, None):
        plain.reset(seed=seed)
        seen, infos = env.reset(seed=seed)
        position, over = plain.position, False
        assert infos == {position.to_play: {}}
        while not over:
            player = position.to_play
            assert list(seen) == [player] and env.agents == env.possible_agents == [0, 1]
            check(seen, position, False)
            legal = seen[player]["action_mask"]
            wrong = illegal and position.ply == 3
            action = np.int64(draw.choice(np.flatnonzero(legal == (0 if wrong else 1))))
            _, reward, over, _, info = plain.step(action)
            seen, rewards, terminated, truncated, infos = env.step({player: action})
            if not wrong and not config.get("auto_pass"):
                assert position.play(action).notation == plain.position.notation
            position = plain.position
            assert env.position.notation == position.notation
            assert terminated["__all__"] is over and truncated["__all__"] is False
            if not over:
                assert rewards == {player: 0.0}
        check(seen, position, True)
        assert rewards == {player: reward, 1 - player: -reward}
        assert terminated == {0: True, 1: True, "__all__": True}
        assert env.agents == [0, 1] and list(seen) == [0, 1]
        for agent in (0, 1):
            assert infos[agent]["winner"] == info["winner"]
            assert infos[agent]["score"].tolist() == list(position.score)
            assert infos[agent]["illegal"].dtype == bool
            assert bool(infos[agent]["illegal"]) is wrong
        if wrong:
            assert rewards == {player: -1.0, 1 - player: 1.0}


@pytest.mark.parametrize(
    "config",
    [{}, {"opponent": "greedy", "observation": "planes", "seat": "dark", "random_plies": 2}],
    ids=str,
)
def test_the_single_and_the_vector_form_play_the_plain_games(config):
    """Game i of the vector form, the single form and `MijnlieffEnv` with seed + i are equal."""
    games = 4
    batch = DictInfoToList(MaskedEnv({**config, "num_envs": games}))  # as RLlib wraps it
    singles = [MaskedEnv(config) for _ in range(games)]
    plain = [MijnlieffEnv(**config) for _ in range(games)]
    draw = np.random.default_rng(0)
    seen, _ = batch.reset(seed=11)
    over = np.zeros(games, bool)
    for i in range(games):
        singles[i].reset(seed=11 + i)
        observation, info = plain[i].reset(seed=11 + i)
        np.testing.assert_array_equal(seen["observations"][i], observation)
        np.testing.assert_array_equal(seen["action_mask"][i], info["action_mask"])
    for _ in range(60):
        actions = np.array([draw.choice(np.flatnonzero(row)) for row in seen["action_mask"]])
        seen, rewards, terminated, _, infos = batch.step(actions)
        for i in range(games):
            if over[i]:
                observation, info = plain[i].reset()
                reward, ends = 0.0, False
                single, _ = singles[i].reset()
            else:
                observation, reward, ends, _, info = plain[i].step(actions[i])
                single, single_reward, *_ = singles[i].step(actions[i])
                assert single_reward == reward
            np.testing.assert_array_equal(single["observations"], observation)
            np.testing.assert_array_equal(single["action_mask"], info["action_mask"])
            np.testing.assert_array_equal(seen["observations"][i], observation)
            np.testing.assert_array_equal(seen["action_mask"][i], info["action_mask"])
            assert (rewards[i], terminated[i]) == (reward, ends)
            if ends:
                assert infos[i]["winner"] == info["winner"]
        over = terminated.copy()


def test_wrong_options_are_refused_by_name():
    for config, message in [
        ({"layout": "flat"}, "unknown option 'layout' in the env_config; choose from variant, obs"),
        ({"opponent": "greedy"}, "'opponent'.*PolicyRLModule, or use MaskedEnv"),
        ({"num_envs": 4}, "num_envs_per_env_runner"),
        ({"observation": "packed"}, "unknown observation layout 'packed'; choose one of flat, pl"),
        ({"reward": "points"}, "points"),
    ]:
        with pytest.raises(ValueError, match=message):
            MijnlieffMultiAgentEnv(config)
    for config, message in [
        ({"opponent": None}, "self-play.*use MijnlieffMultiAgentEnv"),
        ({"autoreset": "same_step", "num_envs": 2}, "RLlib decides when games are reset"),
        ({"state_bytes": True}, "only MijnlieffMultiAgentEnv"),
        ({"num_envs": 0}, "num_envs"),
        ({"opponent": "greedly"}, "greedly"),
    ]:
        with pytest.raises(ValueError, match=message):
            MaskedEnv(config)
    with pytest.raises(TypeError, match="state_bytes must be True or False, not 'no'"):
        MijnlieffMultiAgentEnv({"state_bytes": "no"})
    for make in (MijnlieffMultiAgentEnv, MaskedEnv):
        with pytest.raises(TypeError, match="config must be a dictionary of options, not Variant"):
            make(Variant())


def test_wrong_calls_are_refused_and_change_nothing():
    env = MijnlieffMultiAgentEnv({"illegal_action": "raise"})
    with pytest.raises(GameOverError, match="reset the environment first"):
        env.step({0: 0})
    env.reset(seed=0)
    before = env.position
    for actions in ({}, {1: 0}, {0: 0, 1: 0}):
        with pytest.raises(ValueError, match="agent 0 is to move, not"):
            env.step(actions)
    for actions in ([0], 3, None):
        with pytest.raises(TypeError, match="actions are a dictionary by agent, not"):
            env.step(actions)
    with pytest.raises(IllegalMoveError):
        env.step({0: 64})
    assert env.position.notation == before.notation
    masked = MaskedEnv()
    masked.reset(seed=0)
    with pytest.raises(IllegalMoveError):
        masked.step(64)


def test_a_version_of_ray_that_is_missing_or_too_old_is_named(monkeypatch):
    monkeypatch.setattr("mijnlieff._util.extras.version", lambda name: "2.51.2")
    with pytest.raises(MissingExtraError, match=r"needs ray 2\.52 or newer, not 2\.51\.2"):
        importlib.reload(rllib)
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "mijnlieff.integrations.rllib.modules", None)
    with pytest.raises(MissingExtraError, match=r"needs Ray RLlib.*mijnlieff\[rllib\]"):
        importlib.reload(rllib)


def test_environments_and_their_options_reach_workers():
    env = pickle.loads(pickle.dumps(MijnlieffMultiAgentEnv({"variant": SMALL})))
    assert env.reset(seed=0)[0][0]["observations"].shape == (3 * 10 + 8,)
    config = single_agent(variant=SMALL, opponent=mijnlieff.GreedyPolicy(1))
    algorithm = config.env_runners(num_env_runners=1, sample_timeout_s=300).build_algo()
    try:
        episodes = algorithm.env_runner_group.foreach_env_runner(
            lambda runner: runner.sample(num_episodes=32), local_env_runner=False
        )[0]
        assert len(episodes) >= 32
    finally:
        algorithm.stop()


# The documentation


def test_the_examples_of_the_page_run(capsys):
    run_page("rllib.md")
    said = capsys.readouterr().out
    assert "against random, 200 games" in said and "'opponent'" in said


def test_the_example_plays_itself(folder):
    options = ("--iterations", 2, "--steps", 512, "--games", 20)
    printed = printed_by_script("examples/rllib_self_play.py", *options, RAY_TMPDIR=folder)
    assert re.search(r"^1,\d+ turns, entropy \d\.\d\d$", printed, re.MULTILINE)
    assert re.search(r"^score against random: 0\.\d+ \(0\.\d+ to ", printed, re.MULTILINE)


def test_the_benchmark_runs(folder):
    options = ("--games", 2, "--seconds", 0.2)
    printed = printed_by_script("benches/frameworks/rllib_games.py", *options, RAY_TMPDIR=folder)
    native = r"^(environment|env runner), native .* [\d.,]+ x \1, sync$"
    assert re.findall(native, printed, re.MULTILINE) == ["environment", "env runner"]
