"""The RLlib adapter: RLlib's own checks, the plain environments' games, and training with masks.

Everything runs in one process: Ray is started once, with no remote workers except where they are
what is tested.
"""

from __future__ import annotations

import copy
import functools
import importlib
import os
import pickle
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import numpy as np
import pytest
import ray
import torch
from gymnasium.utils.env_checker import check_env
from gymnasium.wrappers.vector import DictInfoToList
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModule, RLModuleSpec
from ray.rllib.env.env_context import EnvContext
from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner
from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner
from ray.rllib.examples.multi_agent.utils.self_play_callback import SelfPlayCallback
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule
from ray.rllib.examples.rl_modules.classes.random_rlm import RandomRLModule
from ray.rllib.utils.pre_checks.env import check_multiagent_environments

import mijnlieff
from mijnlieff import Board, MijnlieffEnv, Position, Variant
from mijnlieff.errors import GameOverError, IllegalMoveError, MissingExtraError
from mijnlieff.integrations import rllib
from mijnlieff.integrations.rllib import (
    MaskedEnv,
    MijnlieffMultiAgentEnv,
    PolicyRLModule,
    RandomMaskedRLModule,
    RLModulePolicy,
)

ROOT = Path(__file__).resolve().parents[2]
SMALL = Variant(Board.from_text("###.\n####\n.###"), "anywhere", 3)
LARGE = Variant(Board.from_text("\n".join(["#####"] * 4)), "anywhere")
MASKED = RLModuleSpec(
    module_class=ActionMaskingTorchRLModule,
    model_config=DefaultModelConfig(fcnet_hiddens=[64, 64], fcnet_activation="relu"),
)
RANDOM = RLModuleSpec(module_class=RandomMaskedRLModule, model_config={"seed": 0})


@pytest.fixture(scope="module", autouse=True)
def folder():
    """Start Ray, never in a cluster that may be there; its files are deleted in the end."""
    torch.set_num_threads(1)
    # The paths of sockets must be short.
    with tempfile.TemporaryDirectory(prefix="ray", ignore_cleanup_errors=True) as folder:
        try:
            ray.init("local", num_cpus=2, include_dashboard=False, _temp_dir=folder)
            yield folder
        finally:
            ray.shutdown()


def multi_agent(config=None, **modules):
    """A configuration in which each game has "main" against one of the other modules, if any."""
    others = [name for name in modules if name != "main"]

    def mapped(agent, episode, **kwargs):
        return others[0] if others and hash(episode.id_) % 2 == agent else "main"

    return (
        PPOConfig()
        .environment(MijnlieffMultiAgentEnv, env_config=config or {})
        .env_runners(num_env_runners=0, num_envs_per_env_runner=16)
        .multi_agent(policies=set(modules), policy_mapping_fn=mapped, policies_to_train=["main"])
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs=modules))
        .training(train_batch_size_per_learner=1024, minibatch_size=256, num_epochs=4, gamma=1.0)
        .training(lr=1e-3, entropy_coeff=0.01)
        .debugging(seed=0)
    )


def single_agent(spec=MASKED, mode="vector_entry_point", **config):
    return (
        PPOConfig()
        .environment(MaskedEnv, env_config=config)
        .env_runners(num_env_runners=0, num_envs_per_env_runner=32, gym_env_vectorize_mode=mode)
        .rl_module(rl_module_spec=spec)
        .training(train_batch_size_per_learner=4096, minibatch_size=512, num_epochs=4, gamma=1.0)
        .training(lr=1e-3, entropy_coeff=0.01)
        .debugging(seed=0)
    )


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
            assert infos[agent].get("illegal", False) is wrong
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


# The modules


def played(spec, config=None, games=200, **kwargs):
    """Return the games that "main", the module of a spec, plays against the random module."""
    setup = multi_agent(config or {"state_bytes": True}, main=spec, random=RANDOM)
    runner = MultiAgentEnvRunner(config=setup.copy(copy_frozen=False), **kwargs)
    try:
        return runner.sample(num_episodes=games)
    finally:
        runner.stop()


def score(games):
    """The mean points of "main", 1 for a win and half a point for a draw."""
    points = []
    for game in games:
        agent = next(agent for agent in (0, 1) if game.module_for(agent) == "main")
        points.append((1 + game.agent_episodes[agent].get_return()) / 2)
    return np.mean(points)


def was_illegal(game):
    return any(episode.get_infos(-1).get("illegal") for episode in game.agent_episodes.values())


def test_the_random_module_plays_legal_actions_only_and_all_of_them():
    assert not any(map(was_illegal, played(RANDOM)))
    # This is why it exists:
    assert all(map(was_illegal, played(RLModuleSpec(module_class=RandomRLModule), games=20)))
    space = MaskedEnv().observation_space
    one, other = (
        RandomMaskedRLModule(
            observation_space=space,
            action_space=MaskedEnv().action_space,
            model_config={"seed": 5},
        )
        for _ in range(2)
    )
    mask = np.zeros((4000, 65), np.float32)
    mask[:, [3, 17, 40]] = 1
    chosen = one.forward_inference({"obs": {"action_mask": torch.as_tensor(mask)}})["actions"]
    counts = np.bincount(chosen, minlength=65)
    assert counts[[3, 17, 40]].sum() == 4000 and counts[[3, 17, 40]].min() > 1200
    again = other.forward_exploration({"obs": {"action_mask": mask}})["actions"]
    np.testing.assert_array_equal(again, chosen)


@pytest.mark.parametrize("mode", ["vector_entry_point", "sync"])
def test_the_random_module_plays_in_environments_of_one_agent(mode):
    runner = SingleAgentEnvRunner(config=single_agent(RANDOM, mode))
    games = runner.sample(num_episodes=100)
    runner.stop()
    assert len(games) >= 100 and abs(np.mean([game.get_return() for game in games])) < 0.4
    assert all(game.get_infos(-1)["winner"] in (-1, 0, 1) for game in games)


class First:
    """A policy of the caller: the first legal action."""

    def act_batch(self, positions):
        return np.array([position.legal_actions()[0] for position in positions])


@pytest.mark.parametrize(
    ("policy", "least", "most"), [("minimax:2", 0.72, 0.93), ("random", 0.35, 0.65)]
)
def test_built_in_players_are_modules(policy, least, most):
    spec = RLModuleSpec(module_class=PolicyRLModule, model_config={"policy": policy, "seed": 1})
    games = played(spec)
    assert not any(map(was_illegal, games))
    assert least < score(games) < most


@pytest.mark.parametrize("variant", [None, SMALL, LARGE])
def test_a_policy_of_the_caller_is_a_module_that_plays_the_same_actions(variant):
    config = {"policy": First(), "variant": variant}
    spec = RLModuleSpec(module_class=PolicyRLModule, model_config=config)
    games = played(spec, {"variant": variant, "state_bytes": True}, games=16)
    for game in games:
        for agent, episode in game.agent_episodes.items():
            if game.module_for(agent) == "main":
                masks = episode.get_observations()["action_mask"][:-1]
                np.testing.assert_array_equal(episode.get_actions(), masks.argmax(axis=1))


def test_modules_say_what_they_lack():
    env = MijnlieffMultiAgentEnv({"state_bytes": True})
    spaces = {"observation_space": env.observation_spaces[0], "action_space": env.action_spaces[0]}
    without = {**spaces, "observation_space": MijnlieffMultiAgentEnv().observation_spaces[0]}
    with pytest.raises(ValueError, match=r"'state_bytes', not Dict.*env_config=\{'state_bytes'"):
        PolicyRLModule(**without, model_config={"policy": "greedy"})
    with pytest.raises(ValueError, match=r"needs a policy: RLModuleSpec"):
        PolicyRLModule(**spaces)
    with pytest.raises(ValueError, match=r"65 actions and the variant 41; give the environment's"):
        PolicyRLModule(**spaces, model_config={"policy": "greedy", "variant": SMALL})
    with pytest.raises(ValueError, match=r"unknown policy 'greedly'"):
        PolicyRLModule(**spaces, model_config={"policy": "greedly"})
    plain = {**spaces, "observation_space": MijnlieffEnv().observation_space}
    with pytest.raises(ValueError, match=r"'action_mask', not Box.*MijnlieffMultiAgentEnv or Mask"):
        RandomMaskedRLModule(**plain)
    with pytest.raises(NotImplementedError, match=r"policies_to_train"):
        RandomMaskedRLModule(**spaces).forward_train({})


def test_only_modules_with_logits_are_policies():
    env = MijnlieffMultiAgentEnv({"state_bytes": True})
    spaces = {"observation_space": env.observation_spaces[0], "action_space": env.action_spaces[0]}
    with pytest.raises(TypeError, match=r"PolicyRLModule has no logits; evaluate its policy"):
        RLModulePolicy(PolicyRLModule(**spaces, model_config={"policy": "greedy"}))
    with pytest.raises(TypeError, match=r"must be an RLModule, not 'greedy'"):
        RLModulePolicy("greedy")
    both = MultiRLModuleSpec(
        rl_module_specs={name: RLModuleSpec(RandomRLModule, **spaces) for name in ("a", "b")}
    ).build()
    with pytest.raises(TypeError, match=r"one of the modules \['a', 'b'\]"):
        RLModulePolicy(both)
    with pytest.raises(mijnlieff.PolicyError, match=r"actions, but not action_dist_inputs"):
        RLModulePolicy(both["a"]).act(Position())
    strange = {**spaces, "observation_space": MijnlieffEnv(observation="packed").observation_space}
    with pytest.raises(ValueError, match=r"not flat observations or planes"):
        RLModulePolicy(RandomRLModule(**strange))


# Training


def returns(algorithm, iterations):
    return [algorithm.train()["env_runners"]["episode_return_mean"] for _ in range(iterations)]


def test_ppo_with_masks_improves_on_random_and_its_module_is_a_policy():
    algorithm = single_agent(illegal_action="raise").build_algo()
    try:
        means = returns(algorithm, 7)
        policy = RLModulePolicy(algorithm.get_module())
        report = mijnlieff.evaluate(policy, "random", games=400)
        module = algorithm.get_module()
    finally:
        algorithm.stop()
    assert abs(means[0]) < 0.2 < means[-1]
    assert report.score > 0.7
    # As the module itself chooses, from what the environment shows.
    positions = mijnlieff.random_openings(32, plies=5, seed=3)
    seen = {
        "observations": torch.as_tensor(mijnlieff.observe_batch(positions, "flat")),
        "action_mask": torch.as_tensor(mijnlieff.mask_batch(positions), dtype=torch.float32),
    }
    logits = module.forward_inference({"obs": seen})["action_dist_inputs"]
    np.testing.assert_array_equal(policy.act_batch(positions), logits.argmax(dim=1).numpy())
    drawn = RLModulePolicy(module, temperature=1.0, seed=1)
    assert repr(drawn) == "RLModulePolicy(ActionMaskingTorchRLModule, temperature=1.0, seed=1)"
    assert 0 < mijnlieff.grade(drawn, 50, seed=1).total.optimal < 1


def test_a_module_without_masks_fails_at_once():
    config = single_agent(RLModuleSpec(module_class=RandomMaskedRLModule))
    runner = SingleAgentEnvRunner(config=config)
    with pytest.raises((RuntimeError, IllegalMoveError)) as error:
        runner.sample(num_timesteps=320, random_actions=True)
    # Newer versions of Ray raise another error from it.
    assert isinstance(error.value.__cause__ or error.value, IllegalMoveError)
    runner.stop()


def test_self_play_with_a_shared_policy_improves_on_random():
    algorithm = multi_agent({"random_plies": 4}, main=MASKED).build_algo()
    try:
        for _ in range(4):
            results = algorithm.train()["env_runners"]
        policy = RLModulePolicy(algorithm.get_module("main"))
    finally:
        algorithm.stop()
    # Both sides of each game are its own, so returns add up to 0; games are played to the end.
    assert results["episode_return_mean"] == 0
    assert results["episode_len_mean"] > 10
    assert mijnlieff.evaluate(policy, "random", games=400).score > 0.6


def test_snapshots_of_the_module_become_opponents():
    callback = functools.partial(SelfPlayCallback, win_rate_threshold=0.0)
    config = multi_agent(main=MASKED, random=RANDOM).callbacks(callback)
    algorithm = config.build_algo()
    try:
        first, second = algorithm.train(), algorithm.train()
        modules = set(algorithm.env_runner.module.keys())
    finally:
        algorithm.stop()
    assert (first["league_size"], second["league_size"]) == (3, 4)
    assert modules == {"main", "random", "main_v1", "main_v2"}
    returns = second["env_runners"]["module_episode_returns_mean"]
    assert {"main", "main_v1"} <= returns.keys()


def test_a_built_in_player_is_an_opponent_in_training_and_modules_are_saved(tmp_path):
    opponent = RLModuleSpec(module_class=PolicyRLModule, model_config={"policy": "greedy"})
    algorithm = multi_agent({"state_bytes": True}, main=MASKED, greedy=opponent).build_algo()
    try:
        returns = algorithm.train()["env_runners"]["module_episode_returns_mean"]
        weights = copy.deepcopy(algorithm.get_module("main").state_dict())
        algorithm.train()
        after = copy.deepcopy(algorithm.get_module("main").state_dict())
        algorithm.save_to_path(str(tmp_path / "saved"))
    finally:
        algorithm.stop()
    assert returns["main"] < 0 < returns["greedy"]
    assert any((weights[name] != after[name]).any() for name in weights)
    modules = tmp_path / "saved" / "learner_group" / "learner" / "rl_module"
    loaded = RLModule.from_checkpoint(str(modules / "main"))
    RLModulePolicy(loaded).act(Position())
    # Runners are not sent the value function, since they do not need it.
    names = [name for name in after if not name.startswith("vf.")]
    assert names and all((loaded.state_dict()[name] == after[name]).all() for name in names)
    fixed = RLModule.from_checkpoint(str(modules / "greedy"))
    assert isinstance(fixed.policy, mijnlieff.GreedyPolicy)


# The documentation


def test_the_examples_of_the_page_run(capsys):
    text = (ROOT / "docs" / "integrations" / "rllib.md").read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    scope = {"__name__": "page"}
    for block in blocks:
        exec(compile(block, "rllib.md", "exec"), scope)
    said = capsys.readouterr().out
    assert "against random, 200 games" in said and "'opponent'" in said


def test_the_example_plays_itself(folder):
    path = ROOT / "examples" / "rllib_self_play.py"
    options = ["--iterations", "2", "--steps", "512", "--games", "20"]
    done = subprocess.run(
        [sys.executable, path, *options],
        capture_output=True,
        text=True,
        timeout=300,
        env=os.environ | {"RAY_TMPDIR": folder, "OMP_NUM_THREADS": "1"},
    )
    assert done.returncode == 0, done.stderr
    assert re.search(r"^1,\d+ turns, entropy \d\.\d\d$", done.stdout, re.MULTILINE)
    assert re.search(r"^score against random: 0\.\d+ \(0\.\d+ to ", done.stdout, re.MULTILINE)
