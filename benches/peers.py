"""Compare the speed of other libraries' board games with this package, measured in the same run.

    python -m benches.peers .venv-peers/bin/python [--seconds 1]

The argument is a Python that has them; `make bench-peers` makes one. Each library is measured in a
process of its own, one after the other, and this package right before each, in the same way: every
step gives observation and mask to NumPy or Python, and games that end restart. Actions are random
and legal; the time of choosing them is not counted. The games differ: a step of Othello is more
work than one of Mijnlieff, a step of tic-tac-toe is less.
"""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

BATCHES = [1, 1024, 4096, 16384]
PEERS = [
    *(
        ("pgx", game, size)
        for game in ("tic_tac_toe", "connect_four", "othello")
        for size in BATCHES
    ),
    *(("openspiel", game, 1) for game in ("tic_tac_toe", "connect_four", "othello")),
    *(("pettingzoo", game, 1) for game in ("tictactoe_v3", "connect_four_v3")),
]
PARTS = 5
#: Steps after which the games of a batch are at all stages; the first ones end together.
WARM_UP = 192


def best_rate(once: Callable[[], float], steps: int, seconds: float) -> float:
    """Return steps a second in the best part of a measurement; `once` returns its time."""
    best = 0.0
    for _ in range(PARTS):
        spent, done = 0.0, 0
        while spent < seconds / PARTS:
            spent += once()
            done += steps
        best = max(best, done / spent)
    return best


def our_rate(games: int, seconds: float) -> float:
    """Step a batch on one thread, with flat float32 observations in its own arrays."""
    from mijnlieff import VectorEnv

    env = VectorEnv(games, num_threads=1, copy=False)
    env.reset(seed=0)

    def once() -> float:
        actions = env.sample_actions()
        begin = time.perf_counter()
        env.step(actions)
        return time.perf_counter() - begin

    for _ in range(WARM_UP):
        once()
    return best_rate(once, games, seconds)


def pgx_rate(game: str, games: int, seconds: float) -> float:
    """Step a batch with automatic reset, NumPy arrays in and out."""
    import jax
    import pgx
    from pgx.experimental import auto_reset

    env = pgx.make(game)
    step = jax.jit(jax.vmap(auto_reset(env.step, env.init)))
    start = jax.jit(jax.vmap(env.init))
    keys = jax.random.split(jax.random.PRNGKey(0), games)
    state = start(keys)
    draw = np.random.default_rng(0)

    def once() -> float:
        nonlocal state
        mask = np.asarray(state.legal_action_mask)
        actions = (draw.random(mask.shape, np.float32) * mask).argmax(1).astype(np.int32)
        begin = time.perf_counter()
        state = step(state, actions, keys)
        for part in (state.observation, state.legal_action_mask, state.rewards, state.terminated):
            np.asarray(part)
        return time.perf_counter() - begin

    once()  # compiles
    return best_rate(once, games, seconds)


def openspiel_rate(game: str, games: int, seconds: float) -> float:
    """Step one state at a time, as the library has no batches."""
    import pyspiel

    rules = pyspiel.load_game(game)
    state = rules.new_initial_state()

    def once() -> float:
        nonlocal state
        action = random.choice(state.legal_actions())
        begin = time.perf_counter()
        state.apply_action(action)
        if state.is_terminal():
            state.returns()
            state = rules.new_initial_state()
        state.observation_tensor(state.current_player())
        state.legal_actions_mask()
        return time.perf_counter() - begin

    return best_rate(once, 1, seconds)


def pettingzoo_rate(game: str, games: int, seconds: float) -> float:
    """Step an AEC environment, as PettingZoo has no batches."""
    from pettingzoo import classic

    env: Any = getattr(classic, game).env()
    env.reset(seed=0)

    def once() -> float:
        action = int(random.choice(np.flatnonzero(env.last()[0]["action_mask"])))
        begin = time.perf_counter()
        env.step(action)
        _, _, ended, cut, _ = env.last()
        if ended or cut:
            env.reset()
            env.last()
        return time.perf_counter() - begin

    return best_rate(once, 1, seconds)


RATES = {"pgx": pgx_rate, "openspiel": openspiel_rate, "pettingzoo": pettingzoo_rate}


def peer_rate(python: str, peer: tuple[str, str, int], seconds: float) -> float | str:
    """Return steps of a game in a second, or the reason why it was not measured."""
    # This file with the other Python, which does not have this package.
    command = [python, "-P", __file__, "--measure", *map(str, peer), "--seconds", str(seconds)]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        lines = done.stderr.strip().splitlines()
        return f"not measured: {lines[-1] if lines else f'exit code {done.returncode}'}"
    return float(done.stdout)


def compare(python: str, seconds: float) -> None:
    """Measure all libraries and print a table."""
    print(
        "Steps of one game in a second: random legal actions, observation and mask every step,\n"
        "and games that end restart. Drawing the actions is not counted.\n"
        "Ours: Mijnlieff on one thread at the same batch size. pgx uses every core there is.\n"
    )
    print(f"{'library':<11} {'game':<16} {'games':>6} {'steps':>12} {'ours':>12} {'ratio':>8}")
    for peer in PEERS:
        library, game, games = peer
        ours = our_rate(games, seconds)
        theirs = peer_rate(python, peer, seconds)
        line = f"{library:<11} {game:<16} {games:6}"
        if isinstance(theirs, str):
            print(line, theirs, flush=True)
        else:
            print(f"{line} {theirs:12,.0f} {ours:12,.0f} {ours / theirs:7,.1f}x", flush=True)


def main() -> int:
    """Compare, or measure one game of a library."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("python", nargs="?", help="a Python with pgx, open_spiel and pettingzoo")
    parser.add_argument("--measure", nargs=3, metavar=("LIBRARY", "GAME", "GAMES"))
    parser.add_argument("--seconds", type=float, default=1.0, help="of each measurement")
    args = parser.parse_args()
    if args.measure:
        library, game, games = args.measure
        print(RATES[library](game, int(games), args.seconds))
    elif args.python:
        compare(args.python, args.seconds)
    else:
        parser.error("a Python with the other libraries is missing")
    return 0


if __name__ == "__main__":
    sys.exit(main())
