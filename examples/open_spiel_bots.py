"""OpenSpiel's Monte Carlo tree search against policies of this package.

    python examples/open_spiel_bots.py

The bot searches with random games, without a network. First OpenSpiel itself runs a game. Then the
bot becomes a policy, so `evaluate` plays both seats of every opening and gives 95 % intervals. The
example needs OpenSpiel (``pip install 'mijnlieff[open-spiel]'``).
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import pyspiel
from open_spiel.python.algorithms.mcts import MCTSBot, RandomRolloutEvaluator

from mijnlieff import evaluate
from mijnlieff.integrations.open_spiel import BotPolicy, PolicyBot, load_game


def make_bot(game: pyspiel.Game, simulations: int, seed: int) -> MCTSBot:
    """Return OpenSpiel's bot, which runs this many simulations for each move."""
    draw = np.random.RandomState(seed)
    evaluator = RandomRolloutEvaluator(n_rollouts=1, random_state=draw)
    return MCTSBot(game, uct_c=1.4, max_simulations=simulations, evaluator=evaluator,
                   random_state=draw, solve=True)  # fmt: skip


def play_in_open_spiel(game: pyspiel.Game, bot: MCTSBot, name: str) -> None:
    """Play one game in a loop in the style of OpenSpiel, and print its moves."""
    players = [bot, PolicyBot(name)]
    state = game.new_initial_state()
    moves = []
    while not state.is_terminal():
        action = players[state.current_player()].step(state)
        moves.append(state.action_to_string(action))
        state.apply_action(action)
    print(f"one game, their bot as Light against {name}: {' '.join(moves)}")
    print(f"returns of Light and Dark: {state.returns()}, points: {state.position.score}\n")


def main() -> None:
    """Play one game and a match against each opponent."""
    parser = argparse.ArgumentParser(description="OpenSpiel's tree search against our policies.")
    parser.add_argument("--games", type=int, default=100, help="games of each match")
    parser.add_argument("--simulations", type=int, default=100, help="simulations of each move")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--opponents", nargs="+", metavar="POLICY",
                        default=["random", "greedy", "minimax:2", "champion"])  # fmt: skip
    arguments = parser.parse_args()

    game = load_game()
    bot = make_bot(game, arguments.simulations, arguments.seed)
    play_in_open_spiel(game, bot, arguments.opponents[-1])

    print(f"{'opponent':12} {'score':>7}  {'95 % interval':>15} {'games':>6} {'seconds':>8}")
    for name in arguments.opponents:
        begin = time.perf_counter()
        report = evaluate(BotPolicy(game, bot), name, games=arguments.games, seed=arguments.seed)
        low, high = report.score_interval
        seconds = time.perf_counter() - begin
        print(
            f"{name:12} {report.score:7.1%}  {low:6.1%} to {high:5.1%} {report.games:6} "
            f"{seconds:8.1f}"
        )


if __name__ == "__main__":
    main()
