"""RLlib: players as modules, modules as players, and training with masks."""

from __future__ import annotations

import copy
import functools

import numpy as np
import pytest
import torch
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModule, RLModuleSpec
from ray.rllib.env.multi_agent_env_runner import MultiAgentEnvRunner
from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner
from ray.rllib.examples.multi_agent.utils.self_play_callback import SelfPlayCallback
from ray.rllib.examples.rl_modules.classes.random_rlm import RandomRLModule
from rllib_setup import LARGE, MASKED, RANDOM, SMALL, multi_agent, running_ray, single_agent

import mijnlieff
from mijnlieff import MijnlieffEnv, Position, encoding
from mijnlieff.errors import IllegalMoveError
from mijnlieff.integrations.rllib import (
    MaskedEnv,
    MijnlieffMultiAgentEnv,
    PolicyRLModule,
    RandomMaskedRLModule,
    RLModulePolicy,
)
from players import First


@pytest.fixture(scope="module", autouse=True)
def folder():
    with running_ray() as folder:
        yield folder


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
    with pytest.raises(TypeError, match=r"model_config\['variant'\] must be a Variant, .* not 3"):
        PolicyRLModule(**spaces, model_config={"policy": "greedy", "variant": 3})
    with pytest.raises(ValueError, match=r"seed must be 0 to .*, not -1"):
        RandomMaskedRLModule(**spaces, model_config={"seed": -1})
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
    with pytest.raises(ValueError, match="those of this package are"):
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
    with pytest.raises(ValueError, match=r"trained with observations \(56,\) and 65 actions"):
        policy.act(Position(LARGE))
    assert abs(means[0]) < 0.2 < means[-1]
    assert report.score > 0.7
    # As the module itself chooses, from what the environment shows.
    positions = mijnlieff.evaluation.random_openings(32, plies=5, seed=3)
    seen = {
        "observations": torch.as_tensor(encoding.observe_batch(positions, "flat")),
        "action_mask": torch.as_tensor(encoding.mask_batch(positions), dtype=torch.float32),
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
