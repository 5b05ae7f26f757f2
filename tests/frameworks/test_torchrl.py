"""The TorchRL environment, by TorchRL's own check and against the plain environment."""

from __future__ import annotations

import copy
import importlib.util
import pickle

import numpy as np
import pytest
import torch
from tensordict import TensorDict
from torchrl.collectors import Collector
from torchrl.data import Categorical, OneHot
from torchrl.envs import (
    ActionMask,
    GymEnv,
    ParallelEnv,
    RewardSum,
    SerialEnv,
    StepCounter,
    TransformedEnv,
    check_env_specs,
)
from torchrl.record import PixelRenderTransform
from torchrl_setup import random_actions

import mijnlieff
from mijnlieff import Board, ClosedEnvError, Variant, VectorEnv
from mijnlieff.integrations import torchrl as integration
from mijnlieff.integrations.torchrl import MijnlieffEnv
from players import First

BLOCKS = Variant(Board.from_blocks([(0, 0), (2, 1)]), "anywhere")
SETTINGS = {
    "self-play": {"opponent": None},
    "random": {"opponent": "random"},
    "seat": {"opponent": "greedy", "seat": "dark", "auto_pass": True},
    "margins": {"opponent": "minimax:1", "reward": "margin", "random_plies": 6},
    "outside": {"opponent": First(), "observation": "planes", "dtype": "uint8"},
    "packed": {"opponent": None, "observation": "packed", "random_plies": 3},
    "board": {"variant": BLOCKS, "opponent": "random"},
    "cpu": {"opponent": None, "device": "cpu"},
    "one-hot": {"opponent": None, "categorical_action_encoding": False},
}


@pytest.fixture(params=SETTINGS)
def options(request):
    torch.manual_seed(0)
    return SETTINGS[request.param]


def plain(options, num_envs, **more):
    skipped = {"device", "categorical_action_encoding"}
    return VectorEnv(num_envs, **{k: v for k, v in options.items() if k not in skipped}, **more)


def as_index(env, actions):
    return actions if actions.ndim == 1 else actions.to(torch.uint8).argmax(-1)


def assert_shows(data, observations, info):
    seen = data["observation"].numpy()
    assert np.array_equal(seen, np.asarray(observations).view(seen.dtype))
    assert np.array_equal(data["action_mask"].numpy(), info["action_mask"])
    assert np.array_equal(data["to_play"].numpy()[:, 0], info["to_play"])


def test_torchrl_accepts_the_environment(options):
    env = MijnlieffEnv(5, **options)
    check_env_specs(env, break_when_any_done="both", seed=0)
    for transform in (RewardSum(), ActionMask()):
        transformed = TransformedEnv(MijnlieffEnv(5, **options), transform)
        check_env_specs(transformed, break_when_any_done="both")


def test_games_are_those_of_the_plain_environment(options):
    """Action by action, with the observations at the end of games."""
    env, twin = MijnlieffEnv(6, **options), plain(options, 6, autoreset="same_step")
    env.set_seed(3)
    data = env.reset()
    observations, info = twin.reset(seed=3)
    ends = 0
    for _ in range(120):
        assert_shows(data, observations, info)
        assert not data["done"].any()
        env.rand_action(data)
        actions = as_index(env, data["action"]).numpy()
        data, after = env.step_and_maybe_reset(data)
        observations, rewards, terminations, _, info = twin.step(actions)
        last = data["next"]
        assert np.array_equal(last["reward"].numpy()[:, 0], rewards)
        for key, expected in (("terminated", terminations), ("done", terminations)):
            assert np.array_equal(last[key].numpy()[:, 0], expected)
        assert not last["truncated"].any()
        for i in np.flatnonzero(terminations):
            seen = last["observation"][i].numpy()
            assert np.array_equal(seen, np.asarray(info["final_obs"][i]).view(seen.dtype))
            final = info["final_info"]
            assert np.array_equal(last["action_mask"][i].numpy(), final["action_mask"][i])
            assert last["to_play"][i, 0] == final["to_play"][i]
            assert last["action_mask"][i].nonzero().tolist() == [[env.variant.pass_action]]
        ends += terminations.sum()
        data = after
    assert ends > 20


def test_an_illegal_action_is_an_error_or_loses():
    env = MijnlieffEnv(3, opponent="random", seat="light")
    data = env.reset().set("action", torch.tensor([0, 64, 0]))
    with pytest.raises(mijnlieff.IllegalMoveError) as caught:
        env.step(data)
    assert caught.value.env_index == 1
    env = MijnlieffEnv(3, opponent="random", seat="light", illegal_action="lose")
    data = env.step(env.reset().set("action", torch.tensor([0, 64, 0])))
    assert data["next", "reward"][:, 0].tolist() == [0, -1, 0]
    assert data["next", "done"][:, 0].tolist() == [False, True, False]


def test_the_mask_is_never_stale(options):
    """Neither in the specs nor in their copies, and no row is ever all zero."""
    env = MijnlieffEnv(7, **options)
    transformed = TransformedEnv(env, StepCounter())
    specs = [env.action_spec, env.action_spec.clone(), transformed.action_spec]
    data = transformed.reset()
    for _ in range(60):
        legal = [position.action_mask() for position in env.positions()]
        assert np.array_equal(data["action_mask"].numpy(), legal)
        assert data["action_mask"].any(-1).all()
        for spec in specs:
            assert torch.equal(spec.mask, data["action_mask"])
            drawn = as_index(env, spec.rand())
            assert data["action_mask"].gather(-1, drawn.unsqueeze(-1)).all()
        data, after = transformed.step_and_maybe_reset(transformed.rand_action(data))
        assert data["next", "action_mask"].any(-1).all()
        data["action_mask"].zero_()  # the caller's own
        data = after


def test_a_policy_that_sets_the_mask_of_the_spec_does_no_harm():
    """Epsilon-greedy exploration writes the mask of its data into the spec."""
    env = MijnlieffEnv(4, opponent=None)
    data = env.reset()
    kept = data["action_mask"].clone()
    env.action_spec.update_mask(data["action_mask"])
    env.step(env.rand_action(data.clone()))
    assert torch.equal(data["action_mask"], kept)


def test_partial_resets_start_the_chosen_games_only():
    env, twin = MijnlieffEnv(4, opponent=None), VectorEnv(4, autoreset="disabled")
    env.set_seed(5)
    twin.reset(seed=5)
    data, _ = env.step_and_maybe_reset(random_actions(env.reset()))
    twin.step(data["action"].numpy())
    chosen = np.array([True, False, False, True])
    before = env.positions()
    reset = data["next"].exclude("reward").set("_reset", torch.from_numpy(chosen)[:, None])
    data = env.reset(reset)
    observations, info = twin.reset(options={"reset_mask": chosen})
    assert_shows(data, observations, info)
    after = env.positions()
    assert [old == new for old, new in zip(before, after, strict=True)] == (~chosen).tolist()
    data = env.reset(data.set("_reset", torch.zeros(4, 1, dtype=torch.bool)))
    assert_shows(data, observations, info)
    assert env.positions() == after


def test_seeds_hold_from_the_next_reset_of_each_game_on():
    options = {"opponent": "greedy", "random_plies": 8}
    env, twin = MijnlieffEnv(4, **options), VectorEnv(4, autoreset="disabled", **options)
    env.set_seed(2)
    first = env.reset()
    env.set_seed(2)
    assert torch.equal(env.reset()["observation"], first["observation"])
    chosen = np.array([False, True, True, False])
    assert env.set_seed(2**64 - 2) is not None
    data = env.reset(first.set("_reset", torch.from_numpy(chosen)[:, None]))
    twin.reset(seed=2)
    twin.reset(seed=[None, 2**64 - 1, 0, None], options={"reset_mask": chosen})
    assert env.positions() == twin.positions()
    chosen = ~chosen
    env.reset(data.set("_reset", torch.from_numpy(chosen)[:, None]))
    twin.reset(seed=[2**64 - 2, None, None, 1], options={"reset_mask": chosen})
    assert env.positions() == twin.positions()
    env.set_seed(None)
    with pytest.raises(ValueError, match="-1"):
        env.set_seed(-1)
    with pytest.raises(TypeError):
        env.set_seed(1.5)


def test_rollouts_wait_until_every_game_has_ended(options):
    """Games that ended stay as they are, and the others go on as in the plain environment."""
    options = options | {"random_plies": 5}  # games of several lengths
    env = MijnlieffEnv(6, **options)
    env.set_seed(1)
    data = env.rollout(60, break_when_any_done=False, break_when_all_done=True)
    actions = data["action"] if data["action"].ndim == 2 else data["action"].long().argmax(-1)
    done = data["next", "done"][..., 0]
    assert done[:, -1].all() and len({int(row.sum()) for row in done}) > 1
    for i in range(6):
        twin = plain(options, 1, autoreset="disabled")
        observations, _ = twin.reset(seed=1 + i)
        for t in range(int((~done[i]).sum()) + 1):
            seen = data["observation"][i, t].numpy()
            assert np.array_equal(seen, observations[0].view(seen.dtype))
            observations, rewards, ended, _, _ = twin.step(actions[i, t : t + 1].numpy())
            assert data["next", "reward"][i, t, 0] == rewards[0]
        assert ended[0] and env.positions()[i] == twin.positions()[0]


def test_a_step_of_some_games_leaves_the_others_alone():
    env = MijnlieffEnv(3, opponent="random")
    env.set_seed(0)
    data = random_actions(env.reset())
    before = env.positions()
    chosen = torch.tensor([False, True, False])
    after = env.step(data.clone().set("_step", chosen))["next"]
    assert [a == b for a, b in zip(before, env.positions(), strict=True)] == [True, False, True]
    for key in ("observation", "action_mask"):
        assert torch.equal(after[key][0], data[key][0])
    with pytest.raises(TypeError, match="actions must be integers, not bool"):
        env.step(data.clone().set("_step", chosen).set("action", chosen))
    wrong = data.clone().set("_step", chosen).set("action", torch.tensor([64, 64, 64]))
    moved = env.positions()
    with pytest.raises(mijnlieff.IllegalMoveError):
        env.step(wrong)
    assert env.positions() == moved
    second = random_actions(TensorDict({"action_mask": env.action_spec.mask}, [3]))
    env.step(second)
    for i in range(3):
        twin = VectorEnv(1, opponent="random", autoreset="disabled")
        twin.reset(seed=i)
        if chosen[i]:
            twin.step(data["action"][i : i + 1].numpy())
        twin.step(second["action"][i : i + 1].numpy())
        assert env.positions()[i] == twin.positions()[0]


def test_a_step_of_some_games_asks_the_opponent_about_them_only():
    player = First()
    env = MijnlieffEnv(3, opponent=player, seat="light")
    data = random_actions(env.reset())
    before, actions = env.positions(), data["action"].tolist()
    env.step(data.clone().set("_step", torch.tensor([False, True, False])))
    assert player.asked == [[before[1].play(actions[1])]]
    env.step(data.clone().set("_step", torch.zeros(3, dtype=torch.bool)))
    assert len(player.asked) == 1


@pytest.mark.parametrize("policy", [None, random_actions])
def test_collectors_play_legal_games(policy):
    env = MijnlieffEnv(8, opponent="random").append_transform(RewardSum())
    collector = Collector(env, policy, frames_per_batch=400, total_frames=1200)
    frames = ends = 0
    for batch in collector:
        frames += batch.numel()
        legal = batch["action_mask"].gather(-1, batch["action"].unsqueeze(-1))
        assert legal.all()
        done = batch["next", "done"]
        ends += int(done.sum())
        assert torch.equal(batch["next", "episode_reward"][done], batch["next", "reward"][done])
        assert not batch["next", "reward"][~done].any()
        steps = batch["next", "observation"][:, :-1][~done[:, :-1, 0]]
        assert torch.equal(steps, batch["observation"][:, 1:][~done[:, :-1, 0]])
    collector.shutdown()
    assert frames == 1200 and ends > 80


def make():
    return MijnlieffEnv(3, opponent="random")


@pytest.mark.parametrize("kind", [SerialEnv, ParallelEnv])
def test_batches_of_batches(kind):
    env = kind(2, make)
    try:
        env.set_seed(0)
        data = env.rollout(40, random_actions, break_when_any_done=False)
        assert data.shape == (2, 3, 40)
        assert data["next", "done"].sum() > 10
        assert data["action_mask"].any(-1).all() and data["next", "action_mask"].any(-1).all()
        twin = VectorEnv(3, opponent="random")
        twin.reset(seed=0)
        for t in range(40):
            assert np.array_equal(data["action_mask"][0, :, t].numpy(), twin.action_masks())
            twin.step(data["action"][0, :, t].numpy())
    finally:
        env.close()


@pytest.mark.parametrize("how", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_go_on_with_the_same_games(how):
    env = MijnlieffEnv(4, opponent="greedy", random_plies=4)
    env.set_seed(0)
    data, _ = env.step_and_maybe_reset(env.rand_action(env.reset()))
    twin = how(env)
    rows = []
    for one in (env, twin):
        torch.manual_seed(0)
        rows.append(one.rollout(30, break_when_any_done=False, auto_reset=False, tensordict=data))
    assert (rows[0] == rows[1]).all()


def test_one_hot_actions_are_checked():
    env = MijnlieffEnv(3, opponent=None, categorical_action_encoding=False)
    data = env.rand_action(env.reset())
    assert data["action"].shape == (3, 65) and (data["action"].sum(-1) == 1).all()
    with pytest.raises(ValueError, match=r"shape \(3, 65\), not \(3,\); .*encoding=True"):
        env.step(data.clone().set("action", torch.zeros(3, dtype=torch.int64)))
    wrong = data["action"].clone()
    wrong[1] = True
    with pytest.raises(ValueError, match="one 1 among zeros, but that of game 1 has 65 ones"):
        env.step(data.clone().set("action", wrong))
    for values in ([0.5, 0.5], [2, -1], [float("nan"), 1]):
        wrong = torch.zeros(3, 65)
        wrong[:, :2] = torch.tensor(values)
        with pytest.raises(ValueError, match="one 1 among zeros, but that of game 0"):
            env.step(data.clone().set("action", wrong))
    with pytest.raises(KeyError, match="action"):
        env.step(data.exclude("action"))


class ByNumber:
    """An opponent whose actions depend on the number of the game."""

    def act(self, position):
        raise AssertionError("the environment knows the numbers")

    act_batch = act

    def act_games(self, positions, games):
        rows = zip(positions, games.tolist(), strict=True)
        legal = ((position.legal_actions(), game) for position, game in rows)
        return np.array([actions[game % len(actions)] for actions, game in legal])


def test_games_keep_their_numbers_while_others_are_stepped():
    """So an opponent pool plays each game by one member, also where games are stepped apart."""
    env = MijnlieffEnv(3, opponent=ByNumber())
    twin = VectorEnv(3, opponent=ByNumber(), autoreset="disabled")
    env.set_seed(5)
    data, _ = env.reset(), twin.reset(seed=5)
    games = 0
    for _ in range(60):
        actions = twin.action_masks().argmax(axis=1)
        data = data.set("action", torch.from_numpy(actions))
        for game in range(3):
            after = env.step(data.clone().set("_step", torch.arange(3) == game))["next"]
        _, _, ended, _, _ = twin.step(actions)
        data = after.exclude("reward")
        if ended.any():
            data = env.reset(data.set("_reset", torch.from_numpy(ended)[:, None]))
            twin.reset(options={"reset_mask": ended})
        assert [p.notation for p in env.positions()] == [p.notation for p in twin.positions()]
        games += int(ended.sum())
    assert games > 10


def test_options_that_cannot_work_are_refused():
    with pytest.raises(ValueError, match="autoreset='same_step': TorchRL resets"):
        MijnlieffEnv(2, opponent="random", autoreset="same_step")
    with pytest.raises(ValueError, match="copy=False: TorchRL keeps"):
        MijnlieffEnv(2, opponent="random", copy=False)
    with pytest.raises(ValueError, match="auto_pass=True in self-play"):
        MijnlieffEnv(2, opponent=None, auto_pass=True)
    with pytest.raises(ValueError, match="unknown policy 'nobody'"):
        MijnlieffEnv(2, opponent="nobody")
    with pytest.raises(TypeError, match="seats"):
        MijnlieffEnv(2, opponent="random", seats="light")
    with pytest.raises(ValueError, match="num_envs"):
        MijnlieffEnv(0, opponent="random")
    with pytest.raises(TypeError, match=r"choose an opponent: .* negative discount"):
        MijnlieffEnv(2)  # ordinary algorithms would learn nothing from self-play


def test_a_closed_environment_says_so():
    env = make()
    data = env.rand_action(env.reset())
    env.close()
    with pytest.raises(ClosedEnvError):
        env.step(data)


def test_an_environment_moves_to_a_device():
    """From none to the CPU, the only one that every machine has."""
    env = MijnlieffEnv(2, opponent=None)
    assert env.device is None
    data = env.reset()
    env = env.to("cpu")
    assert env.device.type == "cpu"
    assert torch.equal(env.action_spec.mask, data["action_mask"])
    after = env.rollout(20, break_when_any_done=False)
    assert after.device.type == "cpu" and after["action_mask"].any(-1).all()


def test_an_old_torchrl_is_named(monkeypatch):
    monkeypatch.setattr("mijnlieff._util.extras.version", lambda name: "0.5.0")
    spec = importlib.util.spec_from_file_location("again", integration.__file__)
    with pytest.raises(mijnlieff.MissingExtraError, match=r"torchrl 0\.\d+ or newer, not 0\.5\.0"):
        spec.loader.exec_module(importlib.util.module_from_spec(spec))


@pytest.mark.parametrize("seed", range(10))
def test_infos_of_the_plain_environment_can_be_registered(seed):
    """TorchRL plays random actions, also illegal ones, and asks every value for its dtype."""
    torch.manual_seed(seed)
    env = GymEnv("mijnlieff:Mijnlieff-v0").auto_register_info_dict()
    assert env.rollout(3)["action_mask"].shape[-1] == 65


def test_pictures_of_the_games():
    games = MijnlieffEnv(2, opponent=None, render_mode="rgb_array")
    env = games.append_transform(PixelRenderTransform())
    pixels = env.rollout(2)["pixels"]
    assert pixels.dtype == torch.uint8 and pixels.shape[:2] == (2, 2) and pixels.shape[-1] == 3
    assert (pixels[:, 0] != pixels[:, 1]).any()
    env = MijnlieffEnv(2, opponent=None, render_mode="ansi")
    env.reset()
    assert [type(text) for text in env.render()] == [str, str]


def test_specs_bound_what_the_environment_gives(options):
    env = MijnlieffEnv(4, **options)
    most = env.variant.max_margin if options.get("reward") == "margin" else 1
    assert float(env.reward_spec.space.high.max()) == most
    if options.get("categorical_action_encoding", True):
        assert isinstance(env.action_spec, Categorical)
    else:
        assert isinstance(env.action_spec, OneHot)
    data = env.rollout(50, break_when_any_done=False)
    for t in range(50):
        assert env.observation_spec.is_in(data["next"][:, t].select(*env.observation_spec.keys()))
        assert env.reward_spec.is_in(data["next", "reward"][:, t])
