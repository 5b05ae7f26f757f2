"""Print the least time of each pass of a tree search over repetitions of the same search.

    python benches/least_search_times.py

As `least_times.py`, but for searches: the same trees grow again and again with a network that takes
no time, and of every pass over all trees only the shortest time counts.
"""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np
from least_times import timed

from mijnlieff import Position, TreeSearch, Variant, random_openings

#: Random plies before the search.
PLIES = 4
#: The parts of a search, which are timed.
PARTS = ("restart", "select", "update", "results")


def least_times(
    root: Any, games: int, threads: int, simulations: int, repetitions: int
) -> dict[str, float]:
    """Return nanoseconds a simulation of each part of the search, its passes added up."""
    variant = Variant()
    # A tree restarted at the same position keeps its nodes, so two sets of positions alternate.
    sets = [random_openings(games, PLIES, variant, seed=seed) for seed in (0, 1)]
    search = TreeSearch(sets[1], simulations, root=root, num_threads=threads)
    generator = np.random.default_rng(0)
    logits = generator.normal(size=(games, variant.num_actions)).astype(np.float32)
    values = np.tanh(generator.normal(size=games)).astype(np.float32)

    def run(positions: list[Position]) -> list[tuple[str, float]]:
        times = [("restart", timed(search.restart, positions)[0])]
        while True:
            seconds, batch = timed(search.select)
            times.append(("select", seconds))
            if batch is None:
                break
            rows = slice(len(batch))
            times.append(("update", timed(search.update, logits[rows], values[rows])[0]))
        times.append(("results", timed(lambda: (search.actions, search.policy_targets))[0]))
        return times

    least: list[tuple[str, float]] = []
    for _ in range(repetitions):
        passes = run(sets[0])
        least = [min(pair) for pair in zip(least or passes, passes, strict=True)]
        run(sets[1])
    scale = 1e9 / (games * simulations)
    return {part: scale * sum(time for name, time in least if name == part) for part in PARTS}


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Print the least time of each pass of a search.")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1024])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--simulations", type=int, default=32)
    parser.add_argument("--repetitions", type=int, default=40)
    args = parser.parse_args()
    print(
        "Nanoseconds a simulation, the least of each pass over all repetitions, and simulations\n"
        "in a second if all passes took those.\n"
    )
    print(f"{'root':>8}", *(f"{name:>8}" for name in ("games", "threads", *PARTS)), "  in a second")
    for root in ("puct", "gumbel"):
        for games in args.sizes:
            for threads in args.threads:
                found = least_times(root, games, threads, args.simulations, args.repetitions)
                cells = (f"{time:8.1f}" for time in found.values())
                total = 1e9 / sum(found.values())
                print(f"{root:>8} {games:8} {threads:8}", *cells, f"{total:13,.0f}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
