"""VectorEnv and bad input: each a typed error that names the value, with nothing changed."""

from __future__ import annotations

import pickle
import threading
import time

import numpy as np
import pytest
from gymnasium.error import ResetNeeded

from interrupts import last_words_when_interrupted, needs_signals
from mijnlieff import (
    Board,
    ClosedEnvError,
    GameOverError,
    IllegalMoveError,
    PolicyError,
    Position,
    PositionError,
    Variant,
    VariantError,
    VectorEnv,
)
from mijnlieff.policies import OpponentPool, RolloutPolicy
from played import finished
from players import First

LARGE = Variant(Board.from_text("#####\n" * 5))
N = 4


def state(env: VectorEnv) -> bytes:
    return pickle.dumps(env.__getstate__()["games"])


@pytest.mark.parametrize(
    "options, error, words",
    [
        ({"num_envs": 0}, ValueError, "num_envs must be 1 to 16777216, not 0"),
        ({"num_envs": -3}, ValueError, "not -3"),
        ({"num_envs": 10**12}, ValueError, "not 1000000000000"),
        ({"num_threads": 0}, ValueError, "num_threads must be 1 to 1024, not 0"),
        ({"opponent": "nobody"}, ValueError, "unknown policy .nobody., .*; choose random, greedy"),
        ({"opponent": "outside"}, ValueError, "unknown policy 'outside'"),
        ({"opponent": 7}, TypeError, "not 7"),
        ({"opponent": "minimax:0"}, ValueError, "not 0"),
        ({"opponent": "minimax:99"}, ValueError, "not 99"),
        ({"opponent": "champion", "variant": LARGE}, PolicyError, "trained on .* cannot play"),
        ({"seat": "left"}, ValueError, "left.*random, light, dark"),
        ({"observation": "pixels"}, ValueError, "pixels.*planes, flat, packed"),
        ({"observation": "packed", "variant": LARGE}, VariantError, "25 cells"),
        ({"dtype": "float64"}, TypeError, "float32 or uint8, not float64"),
        ({"dtype": None}, TypeError, "float32 or uint8, not None"),
        ({"reward": "wins"}, ValueError, "wins.*outcome, margin"),
        ({"autoreset": "later"}, ValueError, "later.*same_step, next_step, disabled"),
        ({"autoreset": ["later"]}, ValueError, "later.*same_step, next_step, disabled"),
        ({"illegal_action": "ignore"}, ValueError, "ignore.*raise, lose"),
        ({"render_mode": "human"}, ValueError, "human.*ansi, rgb_array"),
    ],
)
def test_options(options, error, words):
    with pytest.raises(error, match=words):
        VectorEnv(**{"num_envs": 2, **options})


@pytest.mark.parametrize(
    "actions, error, words",
    [
        ([0, 0, 0], ValueError, r"shape \(4,\), one for each game, not \(3,\)"),
        ([[0, 0, 0, 0]], ValueError, r"not \(1, 4\)"),
        ([], ValueError, r"not \(0,\)"),
        (3, ValueError, r"not \(\)"),
        (["a1+"] * N, TypeError, "action must be an integer, not .a1"),
        (np.zeros(N), TypeError, "integers, not float64"),
        (np.zeros(N, bool), TypeError, "integers, not bool"),
        ([0, 0, 64, 0], IllegalMoveError, r"game 2: action 64 \(pass\).*; legal: a1\+ b1\+"),
        ([0, 5, 0, 5], IllegalMoveError, r"game 1: action 5 \(b2\+\)"),
        ([0, 0, 0, 65], IllegalMoveError, "game 3: action 65 does not exist.*0 to 64"),
        ([0, 0, 0, -1], IllegalMoveError, "game 3: action -1 does not exist"),
    ],
)
@pytest.mark.parametrize("opponent", [None, "random"])
def test_actions(actions, error, words, opponent):
    env = VectorEnv(N, opponent=opponent, seat="light", copy=False)
    observations, info = env.reset(seed=1)
    before, seen, mask = state(env), observations.copy(), info["action_mask"].copy()
    with pytest.raises(error, match=words) as caught:
        env.step(actions)
    assert state(env) == before
    assert np.array_equal(observations, seen) and np.array_equal(info["action_mask"], mask)
    if error is IllegalMoveError:
        game = caught.value.env_index
        assert caught.value.action == actions[game]
        assert caught.value.legal_actions == np.flatnonzero(mask[game]).tolist()
        again = pickle.loads(pickle.dumps(caught.value))
        assert (again.env_index, str(again)) == (game, str(caught.value))


def test_a_refused_step_leaves_earlier_results():
    env = VectorEnv(N, copy=False)
    env.reset(seed=0)
    ended = np.zeros(N, bool)
    while not ended.any():
        _, rewards, ended, _, _ = env.step(env.sample_actions())
    before = rewards.copy(), ended.copy()
    for _ in range(3):  # sets of arrays may take turns
        with pytest.raises(IllegalMoveError):
            env.step(np.full(N, 65))
    assert np.array_equal(rewards, before[0]) and np.array_equal(ended, before[1])


@pytest.mark.parametrize("dtype", ["i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8", ">i8"])
def test_any_integer_dtype_and_stride_will_do(dtype):
    expected = VectorEnv(N)
    expected.reset(seed=0)
    wanted = expected.step([0, 1, 2, 3])[0]
    for actions in (
        np.array([0, 1, 2, 3], dtype),
        np.array([0, 9, 1, 9, 2, 9, 3, 9], dtype)[::2],
        np.array([3, 2, 1, 0], dtype)[::-1],
        np.asfortranarray(np.array([[0, 9], [1, 9], [2, 9], [3, 9]], dtype))[:, 0],
        # Items of a record array are not aligned, nor a whole number of items apart.
        np.array([(n, 9) for n in range(4)], [("action", dtype), ("other", "i1")])["action"],
        np.array([(9, n) for n in range(4)], [("other", "f4"), ("action", dtype)])["action"],
    ):
        env = VectorEnv(N)
        env.reset(seed=0)
        assert np.array_equal(env.step(actions)[0], wanted)


def test_lose_still_wants_actions_that_exist():
    env = VectorEnv(2, illegal_action="lose")
    env.reset(seed=0)
    before = state(env)
    with pytest.raises(IllegalMoveError, match="game 1: action 65 does not exist"):
        env.step([0, 65])
    assert state(env) == before
    _, rewards, ended, _, info = env.step([0, 64])
    assert rewards.tolist() == [0, -1] and ended.tolist() == [False, True]
    assert info["illegal"].tolist() == [False, True] and info["winner"][1] == 1


def test_order_of_calls():
    for autoreset in ("same_step", "next_step", "disabled"):
        env = VectorEnv(1, autoreset=autoreset)
        with pytest.raises(GameOverError, match="reset"):
            env.step([0])
    env.reset(seed=0)
    for _ in range(40):
        ended = env.step(env.sample_actions())[2]
        if ended[0]:
            break
    before = state(env)
    with pytest.raises(GameOverError, match="game 0: the game is over"):
        env.step([64])
    assert state(env) == before


@pytest.mark.parametrize(
    "keywords, error, words",
    [
        ({"seed": -1}, ValueError, "not -1"),
        ({"seed": 2**64}, ValueError, "not 18446744073709551616"),
        ({"seed": "x"}, TypeError, "not 'x'"),
        ({"seed": [1, 2]}, ValueError, "4 games need 4 seeds, not 2"),
        ({"seed": [1, 2, 3, -4]}, ValueError, "not -4"),
        ({"options": {"mask": 1}}, ValueError, "unknown reset option 'mask'"),
        ({"options": {"reset_mask": [True] * N}}, TypeError, "NumPy array of bool, not list"),
        ({"options": {"reset_mask": np.ones(N)}}, TypeError, "not float64"),
        ({"options": {"reset_mask": np.ones(3, bool)}}, ValueError, r"\(4,\), not \(3,\)"),
        ({"options": {"reset_mask": np.zeros(N, bool)}}, ValueError, "selects no game"),
    ],
)
def test_resets(keywords, error, words):
    env = VectorEnv(N)
    env.reset(seed=3)
    env.step(env.sample_actions())
    before = state(env)
    with pytest.raises(error, match=words):
        env.reset(**keywords)
    assert state(env) == before


def test_positions():
    env = VectorEnv(2)
    env.reset(seed=0)
    before, start = state(env), Position()
    for positions, error, words in (
        ([start], ValueError, "2 games need 2 positions, not 1"),
        ([start, finished()], PositionError, "position 1 .* is over"),
        ([start, Position(LARGE)], PositionError, "position 1 is of Variant"),
        ([start, "a1+"], TypeError, "Position"),
    ):
        with pytest.raises(error, match=words):
            env.set_positions(positions)
        assert state(env) == before


def test_nothing_is_drawn_before_games_start():
    env = VectorEnv(2)
    with pytest.raises(ResetNeeded, match="reset the environment before drawing actions"):
        env.sample_actions()
    env.reset(seed=0)
    assert (env.sample_actions() < env.variant.pass_action).all()


def test_a_closed_environment():
    env = VectorEnv(2)
    env.reset(seed=0)
    env.close()
    env.close()
    for use in (env.reset, env.sample_actions, env.positions, lambda: env.step([0, 0])):
        with pytest.raises(ClosedEnvError, match="closed"):
            use()


class Bad:
    """Returns what it was given, after a number of good answers."""

    def __init__(self, answer, good=0):
        self.answer, self.good = answer, good

    def act_batch(self, positions):
        self.good -= 1
        if self.good >= 0:
            return np.array([position.legal_actions()[0] for position in positions])
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer(len(positions))


@pytest.mark.parametrize(
    "answer, error, words",
    [
        (lambda count: np.full(count, 64), PolicyError, "64"),
        (lambda count: np.full(count, 65), PolicyError, "65"),
        (lambda count: np.full(count, -1), PolicyError, "-1"),
        (lambda count: np.zeros(count), PolicyError, "float64"),
        (lambda count: np.zeros(count + 1, int), PolicyError, "shape"),
        (KeyboardInterrupt("stop"), KeyboardInterrupt, "stop"),
        (ZeroDivisionError("own"), ZeroDivisionError, "own"),
    ],
)
def test_policies_at_fault_change_nothing(answer, error, words):
    env = VectorEnv(N, opponent=Bad(answer, good=0), seat="light")
    env.reset(seed=0)
    before = state(env)
    with pytest.raises(error, match=words):
        env.step([0, 1, 2, 3])
    assert state(env) == before
    other = VectorEnv(N, opponent=Bad(answer, good=2), seat="dark")
    other.reset(seed=0)
    assert other.step(other.sample_actions())[4]["to_play"].tolist() == [1] * N
    other = VectorEnv(N, opponent=Bad(answer, good=1), seat="dark")
    other.reset(seed=0)
    before = state(other)
    for keywords in ({}, {"seed": 5}, {"seed": 1, "options": {"reset_mask": np.ones(N, bool)}}):
        with pytest.raises(error, match=words):
            other.reset(**keywords)
        assert state(other) == before and other.np_random_seed == 0


class Interrupted:
    """A batch in one of whose calls an error comes, once its work is done or before it."""

    def __init__(self, batch, name, is_done, error):
        self.batch, self.name, self.is_done, self.error = batch, name, is_done, error

    def __getattr__(self, name):
        return self.call if name == self.name else getattr(self.batch, name)

    def call(self, *args):
        if self.is_done:
            getattr(self.batch, self.name)(*args)
        raise self.error


def interrupt(
    env: VectorEnv,
    method: str,
    call: str,
    *,
    is_done: bool,
    error: type[BaseException] = KeyboardInterrupt,
) -> None:
    """Step or reset games, with Ctrl-C or another error in one of the calls of the batch."""
    batch = env._batch
    env._batch = Interrupted(batch, call, is_done, error)
    with pytest.raises(error):
        env.step(env.action_masks().argmax(axis=1)) if method == "step" else env.reset(seed=1)
    env._batch = batch


@pytest.mark.parametrize("method", ["step", "reset"])
@pytest.mark.parametrize(
    ("call", "is_done"),
    [("start_{}", True), ("pending", True), ("answer", True), ("finish_{}", False)],
)
@pytest.mark.parametrize("error", [KeyboardInterrupt, RecursionError])
def test_ctrl_c_before_the_end_undoes_a_call(method, call, is_done, error):
    env, twin = (VectorEnv(N, opponent=First(), seat="dark", random_plies=4) for _ in range(2))
    for one in (env, twin):
        one.reset(seed=0)
    interrupt(env, method, call.format(method), is_done=is_done, error=error)
    assert state(env) == state(twin) and env.np_random_seed == 0
    for one in (env, twin):
        one.step(one.action_masks().argmax(axis=1))
    assert state(env) == state(twin)


@pytest.mark.parametrize("method", ["step", "reset"])
def test_ctrl_c_at_the_end_of_a_call_loses_no_more_than_its_results(method):
    env, twin = (VectorEnv(N, opponent=RolloutPolicy(2), seat="dark") for _ in range(2))
    for one in (env, twin):
        one.reset(seed=0)
    interrupt(env, method, f"finish_{method}", is_done=True)
    if method == "step":
        twin.step(twin.action_masks().argmax(axis=1))
    else:
        twin.reset(seed=1)
        assert env.np_random_seed == twin.np_random_seed == 1
    for _ in range(5):  # the opponent draws by the numbers of the games
        assert state(env) == state(twin)
        for one in (env, twin):
            one.step(one.action_masks().argmax(axis=1))


def test_a_first_reset_that_fails_leaves_the_environment_unseeded():
    pool = OpponentPool()
    env, twin = (VectorEnv(N, opponent=pool, seat="dark", random_plies=4) for _ in range(2))
    with pytest.raises(PolicyError, match="the opponent pool is empty"):
        env.reset(seed=5)
    pool.add(First())
    for one in (env, twin):
        one.reset(seed=6, options={"reset_mask": np.arange(N) < 2})
        one.reset()  # the streams of the other games come from the first seed that counts, too
    assert env.np_random_seed == 6 and state(env) == state(twin)


def test_a_policy_may_not_step_the_environment_that_asks_it():
    class Meddler:
        def act(self, position):
            env.step([0] * 4)
            return int(position.legal_actions()[0])

    env = VectorEnv(4, opponent=Meddler(), seat="light")
    env.reset(seed=0)
    before = env.positions()
    with pytest.raises(RuntimeError, match="middle of a step"):
        env.step(env.sample_actions())
    assert env.positions() == before


def test_a_step_goes_on_where_another_one_meanwhile_is_refused():
    class Meddler(First):
        def act_batch(self, positions):
            for use in (env.reset, lambda: env.step([0] * N)):
                with pytest.raises(RuntimeError, match="middle of a step"):
                    use()
            return super().act_batch(positions)

    env, twin = (VectorEnv(N, opponent=it, seat="dark") for it in (Meddler(), First()))
    for one in (env, twin):
        one.reset(seed=0)
        one.step(one.action_masks().argmax(axis=1))
    assert state(env) == state(twin)


def test_a_step_waits_for_a_thread_that_looks_at_its_games_in_the_middle_of_it():
    class Slow:
        """Actions that are read while the batch is locked."""

        def __array__(self, dtype=None, copy=None):
            is_read.set()
            time.sleep(0.2)
            raise ZeroDivisionError

    def look():
        with pytest.raises(ZeroDivisionError):
            env._batch.answer(Slow())

    class Watched(First):
        def act_batch(self, positions):
            is_read.clear()
            threads.append(threading.Thread(target=look))
            threads[-1].start()
            assert is_read.wait(60)
            return super().act_batch(positions)

    is_read, threads = threading.Event(), []
    env, twin = (VectorEnv(N, opponent=it, seat="dark") for it in (Watched(), First()))
    for one in (env, twin):
        one.reset(seed=0)
        one.step(one.action_masks().argmax(axis=1))
    for thread in threads:
        thread.join()
    assert len(threads) == 2 and state(env) == state(twin)


def test_games_without_a_seed_differ_from_run_to_run():
    def first_moves():
        env = VectorEnv(32, opponent="random", seat="dark")
        env.reset(seed=[None] * 31 + [5])
        return [position.notation for position in env.positions()]

    one, other = first_moves(), first_moves()
    assert one[:31] != other[:31]
    assert one[31] == other[31]


@needs_signals
def test_ctrl_c_stops_a_deep_opponent_and_undoes_the_step():
    code = """
import mijnlieff
env = mijnlieff.VectorEnv(2048, opponent="minimax:8", seat="light")
env.reset(seed=0)
before = env.positions()
print("ready", flush=True)
try:
    env.step(env.sample_actions())
except KeyboardInterrupt:
    print("stopped", env.positions() == before)
"""
    assert last_words_when_interrupted(code, after=0.5) == "stopped True\n"


@pytest.mark.parametrize(
    ("num_envs", "error"),
    [(2**63, ValueError), (2**40, ValueError), (0, ValueError), ("many", TypeError)],
)
def test_a_pickle_with_an_impossible_number_of_games_is_refused(num_envs, error):
    env = VectorEnv(4)
    env.reset(seed=0)
    crafted = env.__getstate__() | {"num_envs": num_envs}
    with pytest.raises(error, match=f"num_envs must be .*{num_envs}"):
        VectorEnv.__new__(VectorEnv).__setstate__(crafted)
    assert env.step(env.sample_actions())[0].shape == (4, 56)


@pytest.mark.parametrize("dtype", [np.int64, np.int32, np.uint64])
def test_actions_of_any_length_are_refused_before_they_are_copied(dtype):
    env = VectorEnv(1)
    env.reset(seed=0)
    endless = np.broadcast_to(dtype(1), 10**12)
    with pytest.raises(
        ValueError, match=r"shape \(1,\), one for each game, not \(1000000000000,\)"
    ):
        env.step(endless)
