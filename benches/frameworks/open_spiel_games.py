"""States per second of the OpenSpiel game, beside games of OpenSpiel itself in the same run.

    python benches/frameworks/open_spiel_games.py [--seconds 1]

A state counts when an action was applied and its legal actions and observation tensor were read.
Copies, which searches make of every state, are measured separately. The games take turns, so that
other load affects all of them.
"""

from __future__ import annotations

import argparse
import random
import time

import pyspiel
from open_spiel.python.games import tic_tac_toe  # noqa: F401 - registers python_tic_tac_toe

import mijnlieff.integrations.open_spiel  # noqa: F401 - registers python_mijnlieff
from mijnlieff.cli.timing import Work, lines, measure, timed

#: The first is the reference, a game in Python of OpenSpiel itself.
GAMES = ("python_tic_tac_toe", "python_mijnlieff", "tic_tac_toe", "connect_four", "othello")
#: States, or copies, that are too short for the clock alone.
TOGETHER = 20
PARTS = 50


def states(name: str, beside: str | None) -> Work:
    """Return the work of playing a game at random, the same actions every time."""
    game = pyspiel.load_game(name)

    def play() -> list[float]:
        rng, state, taken = random.Random(0), game.new_initial_state(), []
        for _ in range(PARTS):
            begin = time.perf_counter()
            for _ in range(TOGETHER):
                state.apply_action(rng.choice(state.legal_actions()))
                if state.is_terminal():
                    state.returns()
                    state = game.new_initial_state()
                state.observation_tensor()
            taken.append(time.perf_counter() - begin)
        return taken

    return Work(name, PARTS * TOGETHER, play, beside)


def copies(name: str, beside: str | None) -> Work:
    """Return the work of copying a state after two actions."""
    state = pyspiel.load_game(name).new_initial_state()
    for _ in range(2):
        state.apply_action(state.legal_actions()[0])

    def copy() -> None:
        for _ in range(TOGETHER):
            state.clone()

    return Work(name, TOGETHER, lambda: [timed(copy)], beside)


def main() -> None:
    """Measure the games in turns and print a line for each."""
    parser = argparse.ArgumentParser(description="Measure the game in OpenSpiel.")
    parser.add_argument("--seconds", type=float, default=1.0, help="seconds for each line")
    seconds = parser.parse_args().seconds
    for what in (states, copies):
        works = [what(name, GAMES[0] if name != GAMES[0] else None) for name in GAMES]
        print(what.__name__, *lines(measure(works, seconds)), sep="\n")


if __name__ == "__main__":
    main()
