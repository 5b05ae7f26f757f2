"""Measure one game of another library; run by `compare.py` with the Python that has it.

    python benches/peer_rates.py LIBRARY GAME GAMES SECONDS

Prints the steps a second of a single game as a number. Every step gives observation and mask to
NumPy or Python, and games that end restart. Actions are random and legal; the time of choosing
them is not counted.
"""

from __future__ import annotations

import random
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

PARTS = 5


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

if __name__ == "__main__":
    library, game, games, seconds = sys.argv[1:]
    print(RATES[library](game, int(games), float(seconds)))
