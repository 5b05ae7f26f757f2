"""The environment for PufferLib, against the plain batch and by PufferLib's vectorization."""

from __future__ import annotations

import re

import numpy as np
import pufferlib.emulation
import pufferlib.vector
import pytest
from integration_pages import run_page

import mijnlieff
from mijnlieff import Board, ClosedEnvError, PolicyError, Variant, VectorEnv
from mijnlieff.integrations.pufferlib import MijnlieffPufferEnv
from mijnlieff.policies import OpponentPool
from players import First
from processes import printed_by_script

BLOCKS = Variant(Board.from_blocks([(0, 0), (2, 1)]), "anywhere")
SETTINGS = {
    "random": {},
    "seat": {"opponent": "greedy", "seat": "dark", "auto_pass": True, "dtype": "uint8"},
    "planes": {"opponent": "minimax:1", "observation": "planes", "random_plies": 4},
    "board": {"variant": BLOCKS, "reward": "margin"},
    "boards": {"variants": [Variant(), BLOCKS]},
}
SELF_PLAY = {
    "flat": {},
    "planes": {"observation": "planes", "dtype": "uint8"},
    "board": {"variant": BLOCKS, "reward": "margin", "random_plies": 3},
}


def first_seed(seed):
    """The seed of game 0; the next seed does not give the games that start with game 1."""
    return int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]) >> 1


def legal_actions(env, rng):
    masks = env.split(env.observations)[1]
    return (masks * rng.random(masks.shape)).argmax(-1)


@pytest.mark.parametrize("name", SETTINGS)
def test_games_are_those_of_the_plain_batch(name):
    options = SETTINGS[name]
    env, rng = MijnlieffPufferEnv(6, seed=3, **options), np.random.default_rng(0)
    twin = VectorEnv(6, **{"opponent": "random"} | options)
    seen, infos = env.reset()
    observations, info = twin.reset(seed=first_seed(3))
    assert infos == [] and env.num_agents == 6
    ends = 0
    for _ in range(60):
        assert env.single_observation_space.contains(seen[0])
        shown, masks = env.split(seen)
        assert np.array_equal(shown, observations) and shown.dtype == observations.dtype
        assert np.array_equal(masks, info["action_mask"])
        actions = legal_actions(env, rng)
        seen, *ours, _ = env.step(actions)
        observations, *theirs, info = twin.step(actions)
        assert all(map(np.array_equal, ours, theirs))
        ends += theirs[1].sum()
    assert ends > 10 and env.positions() == twin.positions()


@pytest.mark.parametrize("name", SELF_PLAY)
def test_self_play_has_two_agents_with_their_own_views_and_rewards(name):
    options = {"opponent": None, "illegal_action": "raise", **SELF_PLAY[name]}
    env, rng = MijnlieffPufferEnv(5, **options), np.random.default_rng(1)
    twin = VectorEnv(5, **options)
    env.reset(seed=7)
    twin.reset(seed=first_seed(7))
    layout, dtype = options.get("observation", "flat"), options.get("dtype", "float32")
    ends = 0
    for _ in range(60):
        shown, masks = (part.reshape(5, 2, *part.shape[1:]) for part in env.split(env.observations))
        to_play = [position.to_play for position in twin.positions()]
        for i, position in enumerate(twin.positions()):
            for player in (0, 1):
                expected = position.observation(layout, dtype, player)
                assert np.array_equal(shown[i, player], expected)
            assert np.array_equal(masks[i, to_play[i]], position.action_mask())
            assert masks[i, 1 - to_play[i]].nonzero()[0].tolist() == [position.variant.pass_action]
        assert env.masks.reshape(5, 2).argmax(1).tolist() == to_play
        assert env.masks.sum() == 5
        actions = legal_actions(env, rng)
        _, rewards, terminals, truncations, _ = env.step(actions)
        _, paid, ended, _, _ = twin.step(actions.reshape(5, 2)[range(5), to_play])
        for i, player in enumerate(to_play):
            assert rewards[2 * i + player] == paid[i] == -rewards[2 * i + 1 - player]
        assert np.array_equal(terminals, np.repeat(ended, 2)) and not truncations.any()
        ends += ended.sum()
    assert env.num_agents == 10 and ends > 10


def test_reports_are_means_over_the_games_that_ended():
    env, rng = MijnlieffPufferEnv(8, report_interval=20, seed=0), np.random.default_rng(0)
    env.reset()
    returns, lengths, reports, running = [], [], [], np.zeros(8, int)
    for step in range(60):
        _, rewards, terminals, _, infos = env.step(legal_actions(env, rng))
        running += 1
        returns += rewards[terminals].tolist()
        lengths += running[terminals].tolist()
        running[terminals] = 0
        assert len(infos) == (step % 20 == 19)
        for report in infos:
            assert report == {
                "games": len(returns),
                "episode_return": np.mean(returns),
                "episode_length": np.mean(lengths),
            }
            reports.append(report)
            returns, lengths = [], []
    assert len(reports) == 3


@pytest.mark.parametrize("opponent", ["random", None])
@pytest.mark.parametrize("backend", ["PufferEnv", "Serial", "Multiprocessing"])
def test_their_vectorization_has_the_games_in_its_own_buffers(backend, opponent):
    kwargs = {"num_envs": 4, "opponent": opponent, "random_plies": 6}
    count = 1 if backend == "PufferEnv" else 2
    more = {"num_workers": 2, "batch_size": 2} if backend == "Multiprocessing" else {}
    envs = pufferlib.vector.make(
        MijnlieffPufferEnv, env_kwargs=kwargs, backend=backend, num_envs=count, **more
    )
    try:
        twins = [MijnlieffPufferEnv(**kwargs) for _ in range(count)]
        rng = np.random.default_rng(0)
        seen, _ = envs.reset(5)
        for i, twin in enumerate(twins):
            twin.reset(seed=5 + i)
        # Games of seeds one apart have nothing to do with each other.
        assert twins[0].positions()[1:] != twins[-1].positions()[:-1]
        for _ in range(40):
            assert np.array_equal(seen, np.concatenate([twin.observations for twin in twins]))
            masks = twins[0].split(seen)[1]
            actions = (masks * rng.random(masks.shape)).argmax(-1).astype(np.int32)
            seen, rewards, *_ = envs.step(actions)
            for twin, played in zip(twins, np.split(actions, count), strict=True):
                twin.step(played)
            assert np.array_equal(rewards, np.concatenate([twin.rewards for twin in twins]))
    finally:
        envs.close()


def test_wrong_options_and_actions_are_refused():
    with pytest.raises(ValueError, match="autoreset='same_step': games start again"):
        MijnlieffPufferEnv(2, autoreset="same_step")
    with pytest.raises(ValueError, match="packed"):
        MijnlieffPufferEnv(2, observation="packed")
    with pytest.raises(ValueError, match="report_interval must be 1 to 2147483648, not 0"):
        MijnlieffPufferEnv(2, report_interval=0)
    with pytest.raises(TypeError, match="seats"):
        MijnlieffPufferEnv(2, seats="light")
    env = MijnlieffPufferEnv(2)
    with pytest.raises(mijnlieff.GameOverError):
        env.step([0, 0])
    env.reset()
    with pytest.raises(ValueError, match=r"shape \(2,\), not \(3,\)"):
        env.step([0, 0, 0])
    env.close()
    with pytest.raises(ClosedEnvError):
        env.step([0, 0])


@pytest.mark.parametrize("opponent", ["random", None])
def test_games_start_with_a_reset(opponent):
    env = MijnlieffPufferEnv(2, opponent=opponent)
    with pytest.raises(mijnlieff.GameOverError):
        env.step([0] * env.num_agents)


def test_a_first_reset_that_fails_leaves_the_seed_to_the_next():
    pool = OpponentPool()
    options = {"seed": 9, "opponent": pool, "seat": "dark", "random_plies": 6}
    env, twin = (MijnlieffPufferEnv(4, **options) for _ in range(2))
    with pytest.raises(PolicyError, match="the opponent pool is empty"):
        env.reset()
    pool.add(First())
    env.reset()
    twin.reset()
    assert env.positions() == twin.positions()


def test_an_illegal_action_loses():
    env = MijnlieffPufferEnv(2, seat="light")
    env.reset()
    _, rewards, terminals, _, _ = env.step([64, 0])
    assert rewards.tolist() == [-1, 0] and terminals.tolist() == [True, False]
    both = MijnlieffPufferEnv(2, opponent=None)
    both.reset()
    _, rewards, terminals, _, _ = both.step([64, 64, 0, 64])
    assert rewards.tolist() == [-1, 1, 0, 0] and terminals.tolist() == [True, True, False, False]


def test_the_benchmark():
    printed = printed_by_script("benches/frameworks/pufferlib_games.py", "--envs", 4, "--steps", 5)
    assert len(re.findall(r"/s +[\d.]+ [num]s", printed)) == 4
    assert len(re.findall(r"s +[\d.,]+ x emulation, Serial$", printed, re.MULTILINE)) == 3


def test_the_examples_of_the_page_run():
    run_page("pufferlib.md")


def test_the_example_learns(tmp_path):
    options = ("--steps", 150_000, "--games", 200, "--out", tmp_path)
    printed = printed_by_script("examples/pufferlib_ppo.py", *options)
    said = re.search(r"mean return against random: ([-\d.]+) \(", printed)
    assert said and float(said[1]) > 0.3  # a random player gets 0
