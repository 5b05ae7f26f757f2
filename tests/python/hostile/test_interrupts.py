"""Long calls let other threads run and end soon after Ctrl-C."""

from __future__ import annotations

from functools import partial
from itertools import cycle

import pytest

from interrupts import (
    is_stopped_at_its_end,
    last_words_when_interrupted,
    lets_other_threads_run,
    needs_signals,
)
from mijnlieff import (
    Board,
    ChampionPolicy,
    MinimaxPolicy,
    Position,
    SelfPlay,
    Variant,
    VectorEnv,
    format_record,
    functional,
    parse_record,
)
from mijnlieff.encoding import mask_batch, observe_batch
from mijnlieff.evaluation import random_openings
from mijnlieff.rules import perft
from played import EXAMPLE
from self_play_reference import ENDINGS

LATE = format_record(parse_record(EXAMPLE)[:15])


@needs_signals
@pytest.mark.parametrize(
    "call",
    [
        "m.evaluation.random_openings(10**8, 4)",
        "m.evaluation.random_openings("
        "10**7, 30, m.Variant(m.Board.from_text('########\\n' * 8), copies=8))",
        "m.envs.rollout([p] * 1000, 268_000)",
        "m.envs.rollout([p], 2**28)",
        "m.best_response('greedy', max_positions=10**9)",
        "m.best_response('champion:64')",
        "m.SelfPlay(m.ChampionPolicy()).play(10**6)",
        "m.SelfPlay(m.ChampionPolicy(), solve_roots_below=11).play_samples(10**6)",
        "m.SelfPlay(m.ChampionPolicy(), random_plies=1000).play(10**6)",
        "m.functional.observe(m.functional.init(4_000_000), 'planes')",
        "m.functional.to_positions(m.functional.init(3_000_000))",
        "m.functional.from_positions([p] * 10_000_000)",
        "e = m.VectorEnv(300_000); e.reset(); [e._batch.state() for _ in range(100)]",
        "m.GreedyPolicy().act_batch([p] * 10**7)",
        "[m.Board.arrangements(6, corners=True) for _ in range(10)]",
        # The game ends with the next action, so nothing has to be evaluated but the roots.
        "s = m.TreeSearch([m.Position.from_record(LATE)] * 4096, 10**7); n = len(s.select()); "
        "s.update(np.zeros((n, 65), 'f4'), np.zeros(n, 'f4'))",
        # Roots are solved in the call.
        "m.TreeSearch([m.Position(m.Variant.from_text('########/########'))] * 10, "
        "num_simulations=8, solve_roots_below=16).select()",
        # Making a table of 4 GiB must not take long.
        "m.solving.set_table_bytes(2**32); m.solve(m.Position(m.Variant(copies=3)))",
    ],
)
def test_ctrl_c_stops_a_call(call):
    code = (
        "import mijnlieff as m, numpy as np; p = m.Position(); print('ready', flush=True)\n"
        f"try: {call.replace('LATE', repr(LATE))}\n"
        "except KeyboardInterrupt: print('stopped', m.envs.rollout([p])[0].shape)"
    )
    assert last_words_when_interrupted(code, after=0.1) == "stopped (1, 1, 2)\n"


def started(games):
    env = VectorEnv(games)
    env.reset(seed=0)
    return env


def steps():
    """A step of many games; the same actions, some of them illegal, do each time."""
    env = VectorEnv(4096, opponent="minimax:3", num_threads=1, illegal_action="lose")
    env.reset(seed=0)
    return partial(env.step, env.sample_actions())


MANY = [Position()] * 300_000
LONG_CALLS = {
    "random_openings": lambda: partial(random_openings, 100_000, 4),
    "observe_batch": lambda: partial(observe_batch, MANY, "planes"),
    "mask_batch": lambda: partial(mask_batch, MANY),
    "arrangements": lambda: partial(Board.arrangements, 5, corners=True),
    "perft": lambda: partial(perft, Position(), 5),
    "minimax": lambda: partial(MinimaxPolicy(6).act_batch, random_openings(60, 3)),
    "champion": lambda: partial(ChampionPolicy().act_batch, random_openings(200, 4) * 50),
    "SelfPlay": lambda: partial(SelfPlay(ChampionPolicy(), num_threads=1, **ENDINGS).play, 200),
    "VectorEnv": steps,
    "making a VectorEnv": lambda: partial(VectorEnv, 1_000_000),
    "the state of a VectorEnv": lambda: partial(started(100_000)._batch.state),
    "functional": lambda: partial(functional.score, functional.init(2_000_000), num_threads=1),
    "from_positions": lambda: partial(functional.from_positions, MANY),
    "to_positions": lambda: partial(functional.to_positions, functional.init(300_000)),
}
"""Each makes a call that takes long."""


@pytest.mark.parametrize("make", LONG_CALLS.values(), ids=LONG_CALLS)
def test_other_threads_run_meanwhile(make):
    assert lets_other_threads_run(make())


def test_other_threads_wait_for_python_code():
    assert not lets_other_threads_run(lambda: sum(range(10_000)))


@needs_signals
def test_a_call_that_ignores_signals_counts_as_not_stopped():
    code = (
        "import hashlib; print('ready', flush=True)\n"
        "try: hashlib.pbkdf2_hmac('sha256', b'', b'', 2_000_000)\n"
        "except KeyboardInterrupt: print('stopped')"
    )
    assert last_words_when_interrupted(code, after=0.1) == ""


def playing_itself():
    games = SelfPlay(ChampionPolicy(), num_simulations=2, num_threads=1, random_plies=8)
    return partial(games.play, 8), lambda: games.games_played


def against_perfect_play():
    variant = Variant(Board.from_text("###\n###\n###"))
    env = VectorEnv(200, variant, opponent="perfect", num_threads=1, illegal_action="lose")
    env.reset(seed=0)
    return env


def stepping():
    env = against_perfect_play()
    return partial(env.step, env.sample_actions()), env.positions


def resetting():
    env = against_perfect_play()
    return env.reset, env.positions


def restoring():
    env = VectorEnv(5000, random_plies=2)
    states = []
    for seed in range(3):
        env.reset(seed=seed)
        states.append(env._batch.state())
    states = cycle(states)
    return lambda: env._batch.restore(next(states)), env.positions


def deciding():
    policy = MinimaxPolicy(4)
    return partial(policy.act_batch, random_openings(8, 4)), lambda: policy.__reduce__()[2]


@pytest.mark.parametrize("make", [playing_itself, stepping, resetting, restoring, deciding])
def test_ctrl_c_in_the_last_moment_undoes_a_call(make):
    call, state = make()
    for _ in range(100):
        before = state()
        if is_stopped_at_its_end(call):
            assert state() == before
            call()
            assert state() != before
            return
    raise TimeoutError("the other thread has always woken up too late")
