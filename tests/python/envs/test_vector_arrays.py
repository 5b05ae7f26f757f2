"""The arrays that `VectorEnv` hands out: whose they are, and what a caller may do with them."""

import gc
import sys
import weakref

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
        # Most games end in the same steps, then they restart, then end again.
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


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # newer NumPy warns of such changes
@pytest.mark.parametrize("copy", [True, False])
def test_results_are_whole_whatever_a_caller_did_to_earlier_ones(copy):
    env, untouched = VectorEnv(64, copy=copy), VectorEnv(64)
    env.reset(seed=0)
    untouched.reset(seed=0)
    changes = [
        lambda array: array.fill("mine" if array.dtype == object else 1),
        lambda array: array.setflags(write=False),
        lambda array: setattr(array, "shape", (1, -1)),
        lambda array: array.dtype == object or setattr(array, "dtype", np.uint8),
    ]
    told = 0
    for turn in range(120):
        actions = untouched.sample_actions()
        *results, info = env.step(actions)
        *expected, expected_info = untouched.step(actions)
        assert info.keys() == expected_info.keys()
        told += "final_obs" in info
        arrays, others = [*results, *info.values()], [*expected, *expected_info.values()]
        for ours, theirs in zip(arrays, others, strict=True):
            if not isinstance(ours, np.ndarray):
                continue
            if ours.dtype == object:
                assert [row is None for row in ours] == [row is None for row in theirs]
            else:
                np.testing.assert_array_equal(ours, theirs, strict=True)
            assert ours.flags.writeable and ours.flags.c_contiguous
        for array in {id(it): it for it in arrays if isinstance(it, np.ndarray)}.values():
            changes[turn % 4](array)
        del results, info, arrays, ours, array
    assert told > 20


def arrays_of(observations, rewards, ended, truncated, info):
    """All arrays that a step has handed out, and the last observations as rows, by name."""
    arrays = {"observations": observations, "rewards": rewards, "ended": ended} | {
        name: array for name, array in info.items() if isinstance(array, np.ndarray)
    }
    arrays["truncated"] = truncated
    for game in np.flatnonzero(ended):
        arrays[f"last observation of game {game}"] = info["final_obs"][game]
    return arrays


@pytest.mark.parametrize("observation", ["flat", "packed"])
def test_weak_references_keep_no_array(observation):
    """What only they know belongs to the environment again, which need not grow for their sake."""
    env = VectorEnv(40, observation=observation)
    env.reset(seed=0)
    known = {}
    for _ in range(100):
        for name, array in arrays_of(*env.step(env.sample_actions())).items():
            known.setdefault(name.split(" of ")[0], []).append(weakref.ref(array))
        del array
    gc.collect()
    handed_out = {name: len(references) for name, references in known.items()}
    alive = {name: len({id(it()) for it in known[name] if it() is not None}) for name in known}
    assert handed_out["observations"] == 100 and handed_out["last observation"] > 200
    assert all(alive[name] <= (80 if name == "last observation" else 2) for name in alive), alive


def test_an_array_that_a_weak_reference_gives_back_is_the_callers_again():
    """It may show a later step by then, but no step writes into it from there on.

    Nor does what the caller writes into it come back.
    """
    env, untouched = VectorEnv(40), VectorEnv(40)
    env.reset(seed=0)
    untouched.reset(seed=0)
    draw, kept, weak = np.random.default_rng(0), [], []
    for _ in range(150):
        step = arrays_of(*env.step(env.sample_actions()))
        expected = arrays_of(*untouched.step(untouched.sample_actions()))
        for name in ("observations", "rewards", "ended", "action_mask", "to_play", "truncated"):
            assert np.array_equal(step[name], expected[name]), name
        weak = [weakref.ref(array) for array in step.values()] + weak[:60]
        del step, expected
        found = weak[draw.integers(len(weak))]()
        if found is not None and not any(np.shares_memory(found, array) for array, _ in kept):
            found.fill(draw.integers(2))
            kept.append((found, found.copy()))
        del found
        assert all(np.array_equal(array, before) for array, before in kept)
    assert len(kept) > 20


def test_code_that_runs_when_an_array_goes_may_use_the_environment():
    """A step that gives arrays back to Python may run anything, the next step included."""
    env, untouched = VectorEnv(300), VectorEnv(300)
    env.reset(seed=0)
    untouched.reset(seed=0)
    ran = []

    def use(env):
        try:
            ran.append(len(env.positions()))
        except RuntimeError as error:
            ran.append(str(error))

    for turn in range(60):
        step = env.step(env.sample_actions())
        expected = untouched.step(untouched.sample_actions())
        assert all(map(np.array_equal, step[:4], expected[:4]))
        assert np.array_equal(step[4]["action_mask"], expected[4]["action_mask"])
        if turn % 3 == 0:
            for array in arrays_of(*step).values():
                weakref.finalize(array, use, env).atexit = False
                if array.dtype != object:
                    array.setflags(write=False)  # so that it is not used again
            del array
        del step
    gc.collect()
    assert len(ran) > 20
    assert all(it == 300 or "another thread is using" in str(it) for it in ran)
