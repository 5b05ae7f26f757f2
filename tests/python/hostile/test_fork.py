"""Processes that fork while another thread solves positions: the child can go on."""

from __future__ import annotations

import os

import pytest

from processes import run_python

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")

# A child that hangs is ended by SIGALRM, so its status is not 0.
SCRIPT = """
import os, signal, threading, time
import mijnlieff
from mijnlieff import Position

def check(act):
    child = os.fork()
    if child == 0:
        signal.alarm(60)
        act()
        os._exit(0)
    status = os.waitpid(child, 0)[1]
    assert status == 0, f"the child ended with status {status}"
"""

WHILE_A_SOLVER_IS_MADE = (
    SCRIPT
    + """
for delay in (0.0005, 0.001, 0.002, 0.005, 0.01, 0.02):
    mijnlieff.solving.set_table_bytes(64 << 20)  # drops the solvers made before
    thread = threading.Thread(target=mijnlieff.solve, args=(Position(),))
    thread.start()
    time.sleep(delay)
    check(lambda: {act})
    thread.join()
"""
)

WHILE_A_SOLVER_SOLVES = (
    SCRIPT
    + """
ending = mijnlieff.evaluation.random_openings(1, 12)[0]
perfect = mijnlieff.PerfectPolicy()
champion = mijnlieff.ChampionPolicy(search=2)
env = mijnlieff.VectorEnv(4, opponent="perfect", seat="light")
env.reset(seed=0)
search = mijnlieff.TreeSearch([ending], 2, solve_roots_below=16)
options = mijnlieff.SearchOptions(2, solve_roots_below=9)
games = mijnlieff.SelfPlay(champion, options=options, num_games=4, num_threads=2)
games.play(4)
kept = mijnlieff.solving.solver_for(ending.variant)

def act():
    assert mijnlieff.solving.solver_for(ending.variant) is kept
    mijnlieff.solve(ending)
    perfect.act(ending)
    champion.act(ending)
    env.step(env.sample_actions())
    search.run_with_rollouts()
    games.play(4)

stop = threading.Event()

def solve():
    while not stop.is_set():
        kept.solve(ending)

thread = threading.Thread(target=solve)
thread.start()
try:
    for _ in range(50):
        check(act)
finally:
    stop.set()
    thread.join()
"""
)


def run(script: str) -> None:
    done = run_python(script)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "act",
    [
        "mijnlieff.solve(Position())",
        "mijnlieff.PerfectPolicy().act(Position())",
        "mijnlieff.ChampionPolicy(search=2).act(Position())",
        "mijnlieff.evaluate('random', 'perfect', games=2)",
    ],
)
def test_fork_while_a_solver_is_made(act: str) -> None:
    run(WHILE_A_SOLVER_IS_MADE.replace("{act}", act))


def test_fork_while_a_solver_solves() -> None:
    run(WHILE_A_SOLVER_SOLVES)
