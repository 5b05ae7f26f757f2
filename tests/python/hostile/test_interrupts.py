"""Long calls let other threads run and end soon after Ctrl-C."""

from __future__ import annotations

import pytest

import mijnlieff
from interrupts import last_words_when_interrupted, lets_other_threads_run, needs_signals
from mijnlieff import Position, format_record, parse_record
from played import EXAMPLE

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
        "m.GreedyPolicy().act_batch([p] * 10**7)",
        # The game ends with the next action, so nothing has to be evaluated but the roots.
        "s = m.TreeSearch([m.Position.from_record(LATE)] * 4096, 10**7); n = len(s.select()); "
        "s.update(np.zeros((n, 65), 'f4'), np.zeros(n, 'f4'))",
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


@pytest.mark.parametrize(
    "call",
    [
        lambda positions: mijnlieff.evaluation.random_openings(100_000, 4),
        lambda positions: mijnlieff.encoding.observe_batch(positions, "planes"),
        lambda positions: mijnlieff.encoding.mask_batch(positions),
    ],
    ids=["random_openings", "observe_batch", "mask_batch"],
)
def test_other_threads_run_meanwhile(call):
    positions = [Position()] * 300_000
    assert lets_other_threads_run(lambda: call(positions))


@needs_signals
def test_a_call_that_ignores_signals_counts_as_not_stopped():
    code = (
        "import hashlib; print('ready', flush=True)\n"
        "try: hashlib.pbkdf2_hmac('sha256', b'', b'', 2_000_000)\n"
        "except KeyboardInterrupt: print('stopped')"
    )
    assert last_words_when_interrupted(code, after=0.1) == ""
