"""States per second of the OpenSpiel game, beside games of OpenSpiel itself in the same run.

    python benches/frameworks/open_spiel_games.py [--seconds 1]

A state counts when an action was applied and its legal actions and observation tensor were read.
Copies, which searches make of every state, are measured separately. The games take turns, so that
other load affects all of them, and the best of several parts counts for each.
"""

from __future__ import annotations

import argparse
import random
import time

import pyspiel
from open_spiel.python.games import tic_tac_toe  # noqa: F401 - registers python_tic_tac_toe

import mijnlieff.integrations.open_spiel  # noqa: F401 - registers python_mijnlieff

GAMES = ("python_mijnlieff", "python_tic_tac_toe", "tic_tac_toe", "connect_four", "othello")
OURS = GAMES[0]
PARTS = 5


def play(game: pyspiel.Game, seconds: float) -> float:
    """Return the states per second of random games."""
    states, begin, state = 0, time.perf_counter(), game.new_initial_state()
    while (spent := time.perf_counter() - begin) < seconds:
        for _ in range(20):
            state.apply_action(random.choice(state.legal_actions()))
            states += 1
            if state.is_terminal():
                state.returns()
                state = game.new_initial_state()
            state.observation_tensor()
    return states / spent


def clone(game: pyspiel.Game, seconds: float) -> float:
    """Return the copies per second of a state after two actions."""
    copies, begin, state = 0, time.perf_counter(), game.new_initial_state()
    for _ in range(2):
        state.apply_action(state.legal_actions()[0])
    while (spent := time.perf_counter() - begin) < seconds:
        for _ in range(20):
            state.clone()
        copies += 20
    return copies / spent


def main() -> None:
    """Measure the games in turns and print a table."""
    parser = argparse.ArgumentParser(description="Measure the game in OpenSpiel.")
    parser.add_argument("--seconds", type=float, default=1.0, help="seconds for each number")
    part = parser.parse_args().seconds / PARTS
    games = {name: pyspiel.load_game(name) for name in GAMES}
    best: dict[tuple[str, str], float] = {}
    for _ in range(PARTS):
        for name, game in games.items():
            for what in (play, clone):
                rate = what(game, part)
                best[name, what.__name__] = max(rate, best.get((name, what.__name__), 0.0))
    print(f"{'game':20} {'states/s':>11} {'ours/theirs':>12} {'copies/s':>11} {'ours/theirs':>12}")
    for name in GAMES:
        cells = [f"{name:20}"]
        for what in ("play", "clone"):
            cells.append(f"{best[name, what]:11,.0f} {best[OURS, what] / best[name, what]:12.2f}")
        print(" ".join(cells))


if __name__ == "__main__":
    main()
