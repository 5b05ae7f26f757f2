"""VectorEnv: what a step means, held against a model in plain Python and against single games."""

from __future__ import annotations

import copy
import itertools
import pickle

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import mijnlieff
from board_shapes import SMALL, TWO_ISLANDS, VARIANTS
from mijnlieff import MijnlieffEnv, MinimaxPolicy, Position, RandomPolicy, VectorEnv
from mixed_variants import VARIANTS as SEVERAL
from mixed_variants import WEIGHTS
from played import finished
from players import First
from vector_model import model_and_env, play

MIXED = {"variants": SEVERAL, "variant_weights": WEIGHTS}
OPTIONS = [
    {"opponent": opponent, "autoreset": autoreset, "reward": reward, "auto_pass": auto_pass}
    for opponent, autoreset, reward, auto_pass in itertools.product(
        (None, "random"),
        ("same_step", "next_step", "disabled"),
        ("outcome", "margin"),
        (False, True),
    )
]


@pytest.mark.parametrize(
    "options", OPTIONS, ids=lambda options: "-".join(map(str, options.values()))
)
@pytest.mark.parametrize("name", SMALL)
def test_every_mode_agrees_with_the_model(name, options):
    variant = VARIANTS[name]
    for illegal_action in ("raise", "lose"):
        settings = {"variant": variant, "illegal_action": illegal_action, **options}
        env, model = model_and_env(5, 70, **settings)
        wild = np.random.default_rng(1) if illegal_action == "lose" else None
        assert play(env, model, 40, wild) > 0


@pytest.mark.parametrize("name", VARIANTS)
@pytest.mark.parametrize("seat", ["random", "light", "dark"])
@pytest.mark.parametrize("observation, dtype", [("flat", "float32"), ("planes", "uint8")])
def test_every_variant_agrees_with_the_model(name, seat, observation, dtype):
    options = {"opponent": "random", "seat": seat, "observation": observation, "dtype": dtype}
    env, model = model_and_env(4, 3, variant=VARIANTS[name], **options)
    play(env, model, 60)


@pytest.mark.parametrize("auto_pass", [False, True])
@pytest.mark.parametrize("name", VARIANTS)
def test_tiny_and_large_boards_pass_alike(name, auto_pass):
    variant = VARIANTS[name]
    for opponent in (None, "random"):
        options = {"opponent": opponent, "auto_pass": auto_pass, "dtype": "uint8"}
        env, model = model_and_env(6, 0, variant=variant, **options)
        play(env, model, 150 if variant.board.num_cells < 64 else 20)


@pytest.mark.parametrize("name", ["standard", "anywhere3", "row", "islands"])
def test_packed_observations_agree_with_the_model(name):
    env, model = model_and_env(5, 8, variant=VARIANTS[name], observation="packed")
    assert play(env, model, 40) > 0


@pytest.mark.parametrize("copy", [True, False])
def test_large_batches_agree_with_the_model(copy):
    # Enough games for the threads to be used.
    env, model = model_and_env(2500, 1, num_threads=3, copy=copy)
    assert play(env, model, 18) > 2000


@pytest.mark.parametrize("opponent", [None, "random", "greedy", "minimax"])
def test_games_do_not_depend_on_threads_or_batch_size(opponent):
    def returns(num_envs, threads, seed):
        env = VectorEnv(num_envs, opponent=opponent, num_threads=threads, observation="packed")
        rows = [env.reset(seed=seed)[0]]
        for _ in range(12):
            observations, rewards, *_ = env.step(env.sample_actions())
            rows += [observations, rewards]
        return rows

    whole = returns(4100, 4, 10)
    for other in (returns(4100, 1, 10), returns(4100, 2, 10)):
        assert all(np.array_equal(a, b) for a, b in zip(whole, other, strict=True))
    part = returns(7, 1, 1010)
    assert all(np.array_equal(a[1000:1007], b) for a, b in zip(whole, part, strict=True))


@pytest.mark.parametrize("autoreset", list(AutoresetMode))
@pytest.mark.parametrize("opponent", [None, "random", "minimax"])
@pytest.mark.parametrize("reward", ["outcome", "margin"])
@pytest.mark.parametrize("illegal_action", ["raise", "lose"])
@pytest.mark.parametrize("more", [{}, {"random_plies": 5}, MIXED], ids=["plain", "plies", "mixed"])
def test_a_batch_is_that_many_single_games(autoreset, opponent, reward, illegal_action, more):
    options = {"opponent": opponent, "reward": reward, "illegal_action": illegal_action} | more
    singles = SyncVectorEnv([lambda: MijnlieffEnv(**options)] * 6, autoreset_mode=autoreset)
    batch = VectorEnv(6, autoreset=autoreset, **options)
    assert batch.metadata["autoreset_mode"] is autoreset is batch.autoreset_mode
    assert batch.observation_space == singles.observation_space
    assert batch.action_space == singles.action_space
    (seen, info), (expected, expected_info) = batch.reset(seed=11), singles.reset(seed=11)
    told = {"to_play"} | ({"variant"} if more is MIXED else set())
    wild = np.random.default_rng(0)
    terminations = np.zeros(6, bool)
    for _ in range(60):
        assert np.array_equal(seen, expected)
        for key in told:
            assert np.array_equal(info[key], expected_info[key])
        if autoreset is AutoresetMode.DISABLED and terminations.any():
            options = {"reset_mask": terminations.copy()}
            expected, _ = singles.reset(options=dict(options))
            seen, info = batch.reset(options=options)
            assert np.array_equal(seen, expected)
        actions = batch.sample_actions()
        if illegal_action == "lose":
            actions = np.where(
                wild.random(6) < 0.03, wild.integers(0, batch.num_actions, 6), actions
            )
        seen, rewards, terminations, truncations, info = batch.step(actions)
        expected, *others, expected_info = singles.step(actions)
        assert all(map(np.array_equal, (rewards, terminations, truncations), others))
        same_step = autoreset is AutoresetMode.SAME_STEP
        infos = [(info, expected_info)]
        if same_step and terminations.any():
            infos.append((info["final_info"], expected_info["final_info"]))
        for ours, theirs in infos:
            for key in theirs.keys() - {"final_obs", "final_info"}:
                assert ours[key].dtype == theirs[key].dtype, key
        if terminations.any():
            theirs = expected_info["final_info"] if same_step else expected_info
            keys = ["score", "winner"] + ["illegal"] * (illegal_action == "lose")
            for key in keys:
                assert np.array_equal(info[f"_{key}"], theirs[f"_{key}"])
                assert np.array_equal(info[key][terminations], theirs[key][terminations])
                assert info[key].dtype == theirs[key].dtype
            if same_step:
                assert set(info["final_info"]) == set(theirs)
                for key in {"action_mask"} | told:
                    ours = info["final_info"][key]
                    assert np.array_equal(info["final_info"][f"_{key}"], theirs[f"_{key}"])
                    assert np.array_equal(ours[terminations], theirs[key][terminations])
                assert np.array_equal(info["_final_obs"], expected_info["_final_obs"])
                for ours, other in zip(info["final_obs"], expected_info["final_obs"], strict=True):
                    assert (ours is None and other is None) or np.array_equal(ours, other)


def test_minimax_beats_random_play_from_both_seats():
    for seat in ("light", "dark"):
        env = VectorEnv(64, opponent="minimax", seat=seat)
        env.reset(seed=4)
        total = sum(env.step(env.sample_actions())[1].sum() for _ in range(40))
        assert total < -50


@pytest.mark.parametrize("autoreset", ["same_step", "next_step", "disabled"])
@pytest.mark.parametrize("auto_pass", [False, True])
def test_policy_objects_play_like_native_opponents(autoreset, auto_pass):
    policy = First()
    options = {"opponent": policy, "seat": "dark", "autoreset": autoreset, "auto_pass": auto_pass}
    env, model = model_and_env(8, 2, **options)
    assert play(env, model, 30) > 10
    assert env.positions() == [game.position for game in model.games]
    policy.asked.clear()
    env.reset(seed=2)
    assert list(map(len, policy.asked)) == [8]
    assert {position.last_action for position in env.positions()} == {0}


def test_built_in_policies_play_natively():
    for policy, name in ((RandomPolicy(4), "random"), (MinimaxPolicy(3), "minimax:3")):
        envs = [VectorEnv(6, opponent=opponent) for opponent in (policy, name)]
        for env in envs:
            env.reset(seed=1)
        for _ in range(12):
            actions = envs[0].sample_actions()
            first, second = (env.step(actions)[0] for env in envs)
            assert np.array_equal(first, second)


@pytest.mark.parametrize("name", ["standard", "row", "large", "islands"])
def test_rollouts_are_the_games_of_a_batch(name):
    variant = VARIANTS[name]
    for games in (200, 5000):
        env = VectorEnv(games, variant, autoreset="next_step", num_threads=1)
        env.reset(seed=20)
        points, plies = np.zeros((games, 2), int), np.zeros(games, int)
        for ply in range(1, variant.max_game_length + 1):
            _, _, ended, _, info = env.step(env.sample_actions())
            new = ended & (plies == 0)
            plies[new] = ply
            points[new] = info["score"][new] if new.any() else 0
        found, lengths = mijnlieff.envs.rollout([Position(variant)], games, seed=20, num_threads=3)
        assert found.dtype == lengths.dtype == np.int16
        assert np.array_equal(found[0], points) and np.array_equal(lengths[0], plies)


def test_rollouts_from_positions():
    start, late = Position(), finished()
    points, plies = mijnlieff.envs.rollout([late, start, start], 2, seed=3)
    assert points.shape == (3, 2, 2) and plies[0].tolist() == [0, 0] and plies[1:].all()
    assert points[0].tolist() == [list(late.score)] * 2
    again, _ = mijnlieff.envs.rollout([start] * 6, 1, seed=3)
    assert np.array_equal(again[2:, 0], points[1:].reshape(4, 2))
    for arguments in (([],), ([start, Position(TWO_ISLANDS)],), ([start], 0), ([start], 1, 0, 0)):
        with pytest.raises(ValueError):
            mijnlieff.envs.rollout(*arguments)
    with pytest.raises(ValueError, match="not 1099511627776"):
        mijnlieff.envs.rollout([start], 2**40)


def test_positions_can_be_set_and_read():
    start = Position()
    positions = [start.play("a1+"), start.play("d4x").play("c3x"), start]
    env = VectorEnv(3)
    observations, info = env.set_positions(positions)
    assert env.positions() == positions
    assert np.array_equal(observations, mijnlieff.encoding.observe_batch(positions))
    assert info["to_play"].tolist() == [1, 0, 0]
    against = VectorEnv(3, opponent="random", seat="light")
    against.reset(seed=0)
    _, info = against.set_positions(positions)
    assert info["to_play"].tolist() == [1, 0, 0]
    _, _, _, _, info = against.step(against.sample_actions())
    assert info["to_play"].tolist() == [1, 0, 0]  # the agent keeps the side that was to move


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"opponent": "random"},
        {"copy": False},
        {"dtype": "uint8"},
        *(MIXED | {"opponent": it, "autoreset": "same_step"} for it in (None, "random", First())),
    ],
)
def test_copies_and_pickles_go_on_alike(options):
    env = VectorEnv(20, **{"autoreset": "next_step", **options})
    env.reset(seed=5)
    for _ in range(9):
        env.step(env.sample_actions())
    others = [copy.deepcopy(env), pickle.loads(pickle.dumps(env))]
    for other in others:
        assert other.variants == env.variants and other.canvas == env.canvas
    for _ in range(20):
        actions = env.sample_actions()
        *arrays, info = env.step(actions)
        expected = [part.copy() for part in arrays]
        for other in others:
            assert np.array_equal(other.sample_actions(), actions)
            *found, other_info = other.step(actions)
            assert all(map(np.array_equal, found, expected))
            assert ("variant" in info) == ("variants" in options) == ("variant" in other_info)
            assert np.array_equal(other_info.get("variant"), info.get("variant"))
    assert all(other.positions() == env.positions() for other in others)
    env.close()
    assert copy.deepcopy(env).closed


def test_seeds():
    env, other = VectorEnv(3), VectorEnv(3)
    env.reset(seed=[7, 8, 9])
    other.reset(seed=7)
    assert np.array_equal(env.sample_actions(), other.sample_actions())
    env.reset(seed=[None, 8, None])  # goes on
    other.reset()
    other.reset(seed=[None, 8, None])
    assert np.array_equal(env.sample_actions(), other.sample_actions())
    env.reset(seed=2**64 - 1)  # wraps around
    other.reset(seed=[2**64 - 1, 0, 1])
    assert np.array_equal(env.sample_actions(), other.sample_actions())
    unseeded = [VectorEnv(40) for _ in range(2)]
    drawn = []
    for env in unseeded:
        env.reset()
        drawn.append(env.sample_actions())
    assert not np.array_equal(*drawn)
    assert other.np_random_seed == 7


def test_spaces_contain_everything():
    for observation, dtype in itertools.product(("flat", "planes", "packed"), ("float32", "uint8")):
        env = VectorEnv(3, observation=observation, dtype=dtype)
        seen, _ = env.reset(seed=0)
        for _ in range(20):
            assert env.observation_space.contains(seen)
            assert env.single_observation_space.contains(np.asarray(seen[0]))
            actions = env.sample_actions()
            assert env.action_space.contains(actions)
            seen = env.step(actions)[0]


def test_render():
    env = VectorEnv(2, render_mode="ansi")
    env.reset(seed=0)
    assert env.render() == (str(Position()),) * 2
    assert VectorEnv(2).render() is None
    pytest.importorskip("PIL")
    pictures = VectorEnv(2, render_mode="rgb_array")
    pictures.reset(seed=0)
    first, second = pictures.render()
    assert first.dtype == np.uint8 and first.ndim == 3 and np.array_equal(first, second)


@pytest.mark.parametrize("autoreset", list(AutoresetMode))
def test_gymnasium_wrappers_count_episodes(autoreset):
    env = VectorEnv(4, opponent="random", autoreset=autoreset)
    wrapped = gymnasium.wrappers.vector.RecordEpisodeStatistics(env)
    wrapped.reset(seed=0)
    episodes, lengths = 0, np.zeros(4, int)
    for _ in range(60):
        _, rewards, ended, _, info = wrapped.step(env.sample_actions())
        lengths += 1
        if ended.any():
            episodes += ended.sum()
            assert np.array_equal(info["_episode"], ended)
            assert np.array_equal(info["episode"]["r"][ended], rewards[ended])
            assert (info["episode"]["l"][ended] <= 10).all()
            if autoreset is AutoresetMode.DISABLED:
                assert np.array_equal(info["episode"]["l"][ended], lengths[ended])
                wrapped.reset(options={"reset_mask": ended.copy()})
        lengths[ended] = 0
    assert episodes > 10
    listed = gymnasium.wrappers.vector.DictInfoToList(VectorEnv(2, autoreset=autoreset))
    assert listed.reset(seed=0)[1][1]["to_play"] == 0


def test_attributes_of_games_by_name():
    env = VectorEnv(3, variants=[mijnlieff.Variant(), mijnlieff.Variant(opening="corner")])
    env.reset(seed=0)
    assert env.get_attr("variant") == tuple(it.variant for it in env.positions())
    assert env.call("render") == (None,) * 3
    with pytest.raises(AttributeError, match="no attribute 'level'; they have position, variant"):
        env.get_attr("level")
    env.set_attr("level", (1, 2, 3))
    for other in (env, copy.copy(env), copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        assert other.get_attr("level") == (1, 2, 3)
        assert other.get_attr("position") == env.get_attr("position")
    with pytest.raises(AttributeError, match="'variant' cannot be set"):
        env.set_attr("variant", mijnlieff.Variant())
    with pytest.raises(ValueError, match="3 games need 3 values, not 2"):
        env.set_attr("level", [1, 2])
    with pytest.raises(TypeError, match="action_masks takes no arguments"):
        env.call("action_masks", 1)
    env.close()
    with pytest.raises(mijnlieff.ClosedEnvError):
        env.call("action_masks")
