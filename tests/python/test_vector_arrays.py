"""The arrays that `VectorEnv` hands out: whose they are, and what a caller may do with them."""

import sys

import numpy as np
import pytest

from mijnlieff import VectorEnv


def test_copy_says_whether_arrays_are_fresh():
    fresh, own = VectorEnv(4), VectorEnv(4, copy=False)
    for env, shared in ((fresh, False), (own, True)):
        first, info = env.reset(seed=0)
        kept = first.copy(), info["action_mask"].copy()
        seen = [first]
        for _ in range(8):
            observations, _, _, _, after = env.step(env.sample_actions())
            assert all(np.shares_memory(observations, old) == shared for old in seen)
            assert np.shares_memory(info["action_mask"], after["action_mask"]) == shared
            seen.append(observations[1:])
        assert np.array_equal(first, kept[0]) != shared
        assert np.array_equal(info["action_mask"], kept[1]) != shared


def test_last_observations_that_are_kept_stay_as_they_are():
    env = VectorEnv(200)
    env.reset(seed=0)
    draw, kept = np.random.default_rng(0), []
    for _ in range(120):
        _, _, ended, _, info = env.step(env.sample_actions())
        if not ended.any():
            continue
        last, games = info["final_obs"], np.flatnonzero(ended)
        expected = {int(game): last[game].copy() for game in games}
        kind = draw.integers(5)
        if kind == 0:  # the whole array
            kept.append((last, expected))
        elif kind == 1:  # a row
            kept.append(({int(games[-1]): last[games[-1]]}, {int(games[-1]): expected[games[-1]]}))
        elif kind == 2:  # part of a row
            kept.append(({0: last[games[0]][3:]}, {0: expected[games[0]][3:]}))
        elif kind == 3:  # rows moved about, and put where none was
            last[games[0]], last[games[-1]] = last[games[-1]], last[games[0]]
            last[(games[0] + 1) % 200] = "mine"
        del last, info
        for rows, wanted in kept:
            assert all(np.array_equal(rows[game], row) for game, row in wanted.items())
    assert len(kept) > 20


@pytest.mark.parametrize("copy", [True, False])
def test_last_observations_are_those_of_games_that_do_not_restart(copy):
    env, other = VectorEnv(3000, copy=copy), VectorEnv(3000, autoreset="disabled")
    env.reset(seed=0)
    other.reset(seed=0)
    held = np.arange(3000) >= 300
    rows = np.zeros((200, 2), int)
    for turn in range(200):
        actions = other.sample_actions()
        observations, _, ended, _, info = env.step(actions)
        last, _, stopped, _, _ = other.step(actions)
        assert np.array_equal(ended, stopped)
        for game in np.flatnonzero(ended):
            assert np.array_equal(info["final_obs"][game], last[game])
        if ended.any():
            row = info["final_obs"][ended.argmax()]
            rows[turn] = ended.sum(), sys.getsizeof(row.base) // row.nbytes
            assert np.array_equal(observations, other.reset(options={"reset_mask": ended})[0])
        # Most games end in the same steps, then they start anew before they can, then end again.
        if 20 <= turn < 170 and turn % 8 == 0:
            env.reset(options={"reset_mask": held})
            other.reset(options={"reset_mask": held})
        # Whatever is held is not written to again.
        del info
        row = None
    assert rows[:20, 0].max() > 1000 < rows[170:, 0].max()
    # The memory of the many is given back in time.
    few = rows[40:170][rows[40:170, 0] > 0]
    assert few[:, 0].max() < 200 and few[0, 1] > 1000 > few[-1, 1]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # newer NumPy warns of such changes
@pytest.mark.parametrize("copy", [True, False])
@pytest.mark.parametrize("observation", ["flat", "planes", "packed"])
def test_last_observations_are_whole_whatever_a_caller_did_to_earlier_ones(copy, observation):
    env, untouched = (VectorEnv(200, observation=observation, copy=it) for it in (copy, True))
    env.reset(seed=0)
    untouched.reset(seed=0)
    other_type = np.float64 if observation == "packed" else np.int32

    def mix(last, games):
        for game, other in zip(games, [last[other] for other in games[::-1]], strict=True):
            last[game] = other

    def repeat(last, games):
        for game in games:
            last[game] = last[games[0]]

    def keep_another(last, games):
        last[games[0]].shape = (1, -1)
        last[games[0]] = None

    changes = [
        keep_another,
        lambda last, games: setattr(last[games[0]], "shape", (-1, 1)),
        lambda last, games: setattr(last[games[-1]], "dtype", other_type),
        lambda last, games: last[games[0]].setflags(write=False),
        lambda last, games: last.__setitem__(games[-1], "mine"),
        mix,
        repeat,
        lambda last, games: last.fill(None),
    ]
    told = 0
    for _ in range(120):
        step = env.step(env.sample_actions())
        expected = untouched.step(untouched.sample_actions())
        if not step[2].any():
            continue
        last, games = step[-1]["final_obs"], np.flatnonzero(step[2])
        for game in games:
            ours, theirs = last[game], expected[-1]["final_obs"][game]
            assert (ours.shape, ours.dtype) == (theirs.shape, theirs.dtype)
            assert ours.flags.writeable and np.array_equal(ours, theirs)
            del ours
        changes[told % len(changes)](last, games)
        told += 1
        del step, last
    assert told > 3 * len(changes)


def test_what_a_caller_writes_into_its_arrays_does_not_come_back():
    env, untouched = VectorEnv(200), VectorEnv(200)
    env.reset(seed=0)
    untouched.reset(seed=0)
    told = 0
    for _ in range(100):
        info = env.step(env.sample_actions())[-1]
        expected = untouched.step(untouched.sample_actions())[-1]
        assert info.keys() == expected.keys()
        if "score" not in info:
            continue
        told += 1
        for name in ("score", "winner", "_final_obs"):
            assert np.array_equal(info[name], expected[name])
            info[name][:] = 1
        ours, theirs = ([last is None for last in it["final_obs"]] for it in (info, expected))
        assert ours == theirs
        info["final_obs"][:] = "mine"
    assert told > 20
