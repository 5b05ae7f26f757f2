"""Where the system starts no more threads, calls use those that there are."""

from __future__ import annotations

import pytest

from processes import run_python

pytest.importorskip("resource", reason="the limit on threads is one of POSIX systems")

# Every call once as usual, which also loads what it loads from files, and once without threads.
# Root may start threads beyond any limit, so root becomes another user before.
SCRIPT = """
import os
import resource
import threading

from numpy.testing import assert_array_equal

import mijnlieff as m

openings = m.evaluation.random_openings(8, 9, seed=1)


def steps():
    env = m.VectorEnv(4096, num_threads=2)
    env.reset(seed=0)
    return [env.step(env.sample_actions())[0].sum() for _ in range(3)]


CALLS = {
    "solve": lambda: m.solve(openings[0]).margin,
    "solve_batch": lambda: m.solve_batch(openings, num_threads=2).margins,
    "perft": lambda: m.rules.perft(m.Position(), 3),
    "rollout": lambda: m.envs.rollout(openings, repeats=1000, num_threads=2)[0],
    "act": lambda: m.MinimaxPolicy(4, seed=3).act(openings[0]),
    "act_batch": lambda: m.MinimaxPolicy(4, seed=3).act_batch(openings),
    "play_match": lambda: m.evaluation.play_match(
        openings, m.MinimaxPolicy(2), m.RandomPolicy(), num_threads=2
    ),
    "champion": lambda: m.ChampionPolicy(seed=3).act_batch(openings),
    "evaluate": lambda: (
        m.ChampionPolicy().model.evaluate(
            m.encoding.observe_batch(openings * 40, "flat"), num_threads=2
        )[0]
    ),
    "search": lambda: m.policies.RolloutPolicy(32, seed=3).act_batch(openings),
    "steps": steps,
    "steps against a search": lambda: (
        m.VectorEnv(64, opponent="minimax:4", num_threads=2).reset(seed=0)[0].sum()
    ),
}
expected = {name: call() for name, call in CALLS.items()}
if os.getuid() == 0:
    try:
        os.setuid(65534)
    except OSError as error:
        raise SystemExit(f"skip: root cannot become another user: {error}")
resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
try:
    threading.Thread(target=print).start()
except RuntimeError:
    pass
else:
    raise SystemExit("skip: the system does not limit threads")
for name, call in CALLS.items():
    assert_array_equal(call(), expected[name], err_msg=name)
"""


@pytest.mark.timeout(120)
def test_refused_threads_change_no_result() -> None:
    done = run_python(SCRIPT, timeout=100)
    if done.stderr.startswith("skip: "):
        pytest.skip(done.stderr)
    assert done.returncode == 0, done.stderr
