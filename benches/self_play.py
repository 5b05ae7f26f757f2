"""Print games of self-play per second, native and by a loop in Python over the same search.

    python benches/self_play.py

Both play games of the same settings with the champion's network, in turns, on one thread. The loop
gets leaves from a `TreeSearch` and evaluates them with the same native network. It keeps neither
trees nor evaluations, and it solves leaves with as many empty cells as roots. The round with the
least processor time counts, which depends less on other load than wall time does.
"""

from __future__ import annotations

import argparse
import sys
import time
from typing import Any

import numpy as np

from mijnlieff import ChampionPolicy, Position, SelfPlay, TreeSearch, mask_batch, observe_batch
from mijnlieff.policies.mcts import search_value, search_with

NETWORK = ChampionPolicy().network
MARGIN_WEIGHT = 0.5
#: The most empty cells of roots and of leaves that are solved, by name.
MODES = {"exact": (9, 8), "9/9": (9, 9), "9/7": (9, 7), "pure": (0, 0)}


def evaluate(observations: np.ndarray, _masks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return logits and values for a search."""
    logits, values = NETWORK.evaluate(observations, precision="int16", num_threads=1)
    return logits, search_value(values, MARGIN_WEIGHT)


def play_in_python(games: int, simulations: int, solve_below: int, seed: int) -> int:
    """Play games, one batch of searches for each ply; return the number of samples."""
    rng = np.random.default_rng(seed)
    positions = [Position()] * games
    for game, plies in enumerate(rng.integers(5, size=games).tolist()):
        for _ in range(plies):
            position = positions[game]
            positions[game] = position.play(int(rng.choice(position.legal_actions())))
    samples: list[tuple[np.ndarray, ...]] = []
    while positions:
        masks = mask_batch(positions)
        free = np.flatnonzero(masks[:, -1] == 0)
        actions = np.full(len(positions), positions[0].variant.pass_action)
        if len(free):
            chosen = [positions[game] for game in free]
            search = TreeSearch(
                chosen,
                simulations,
                seed=int(rng.integers(2**63)),
                num_threads=1,
                max_considered=8,
                c_scale=0.2,
                margin_weight=MARGIN_WEIGHT,
                solve_roots_below=solve_below,
                solve_leaves_below=solve_below,
            )
            search_with(evaluate, search)
            actions[free] = search.actions
            samples.append((observe_batch(chosen, "flat", "uint8"), search.policy_targets))
        moved = zip(positions, actions.tolist(), strict=True)
        positions = [position.play(action) for position, action in moved]
        positions = [position for position in positions if not position.is_over]
    return sum(len(observations) for observations, _ in samples)


def rates(
    games: int, simulations: int, roots_below: int, leaves_below: int, rounds: int, seed: int
) -> dict[str, Any]:
    """Return games per second of both, their ratio, and evaluations for each native game.

    Seeds must not repeat: positions that the solver has met before cost it nothing.
    """
    native = SelfPlay(
        NETWORK,
        num_games=512,
        num_simulations=simulations,
        max_considered=8,
        c_scale=0.2,
        margin_weight=MARGIN_WEIGHT,
        solve_roots_below=roots_below,
        solve_leaves_below=leaves_below,
        seed=seed,
        num_threads=1,
    )
    least = [float("inf")] * 2
    for number in range(rounds):
        begin = time.process_time()
        play_in_python(games, simulations, roots_below, seed + 1 + number)
        middle = time.process_time()
        statistics = native.play(games).statistics
        end = time.process_time()
        least = [min(least[0], middle - begin), min(least[1], end - middle)]
    return {
        "loop": games / least[0],
        "native": games / least[1],
        "ratio": least[0] / least[1],
        "evaluations": statistics.evaluations / games,
    }


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Print games of self-play per second.")
    parser.add_argument("--games", type=int, default=1024)
    parser.add_argument("--simulations", type=int, default=32)
    parser.add_argument("--repetitions", type=int, default=3)
    args = parser.parse_args()
    print(
        "Games of self-play per second of processor time, one thread, the champion's network; and\n"
        "evaluations by the network for each native game.\n"
    )
    print(f"{'mode':>6} {'loop in Python':>15} {'native':>8} {'ratio':>7} {'evaluations':>12}")
    for number, (mode, below) in enumerate(MODES.items()):
        seed = 1000 * number
        found = rates(args.games, args.simulations, *below, args.repetitions, seed)
        print(
            f"{mode:>6} {found['loop']:15,.0f} {found['native']:8,.0f} {found['ratio']:6.2f}x "
            f"{found['evaluations']:12.1f}",
            flush=True,
        )
    return 0


if __name__ == "__main__":
    sys.exit(main())
