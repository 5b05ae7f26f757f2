"""Print what a step costs in a batch of many boards, beside batches of one board on that canvas.

    python benches/many_boards.py

Each batch plays the same recorded games again and again, in turns with the others, and of every
step only the shortest time counts. The time beside the mixed batch is the mean over its boards,
each weighted by its share of the games in the mixed batch.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from mijnlieff import Board, Canvas, Variant, VectorEnv

#: Steps before the ones that count: games that start together end together.
WARM_UP = 150
STEPS = 60

LISTS = {
    "12 boards of four blocks": [Variant(board) for board in Board.arrangements(4)[::5]],
    "12 boards of 4 to 15 blocks": [
        Variant(Board.random(blocks, 1), copies=blocks // 2) for blocks in range(4, 16)
    ],
}


class Recorded:
    """A batch with recorded actions, and the least time of each of its steps."""

    def __init__(self, games: int, variants: Sequence[Variant], **options: Any) -> None:
        """Record the actions."""
        self.env = VectorEnv(games, variants=variants, copy=False, **options)
        _, info = self.env.reset(seed=0)
        self.actions, self.shares = [], np.zeros(len(variants))
        for step in range(WARM_UP + STEPS):
            self.actions.append(self.env.sample_actions())
            info = self.env.step(self.actions[-1])[-1]
            if step >= WARM_UP:
                self.shares += np.bincount(info["variant"], minlength=len(variants))
        self.shares /= self.shares.sum()
        self.least = np.full(WARM_UP + STEPS, np.inf)

    def play(self) -> None:
        """Play the games once."""
        self.env.reset(seed=0)
        actions = np.empty_like(self.actions[0])
        for i, chosen in enumerate(self.actions):
            actions[:] = chosen  # as fresh in the cache as if they had just been chosen
            begin = time.perf_counter()
            self.env.step(actions)
            self.least[i] = min(self.least[i], time.perf_counter() - begin)

    def nanoseconds(self) -> float:
        """Return the time of a step, a game."""
        return float(self.least[WARM_UP:].mean()) * 1e9 / self.env.num_envs


def measured(
    variants: Sequence[Variant], games: int, repetitions: int, **options: Any
) -> tuple[float, float]:
    """Return nanoseconds a game of a step of the mixed batch, and of batches of one board."""
    canvas = Canvas.around(variants)
    mixed = Recorded(games, variants, canvas=canvas, **options)
    alone = [Recorded(games, [variant], canvas=canvas, **options) for variant in variants]
    for _ in range(repetitions):
        for batch in (mixed, *alone):
            batch.play()
    return mixed.nanoseconds(), float(mixed.shares @ [batch.nanoseconds() for batch in alone])


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Print what many boards in one batch cost.")
    parser.add_argument("--sizes", type=int, nargs="+", default=[64, 1024, 4096])
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--repetitions", type=int, default=8)
    args = parser.parse_args()
    print("Nanoseconds a game, the least of each step over all repetitions: batches in which")
    print("every game has its own board, and batches of one board on the same canvas.\n")
    print(f"{'boards':<30}{'games':>7}{'dtype':>9}{'mixed':>9}{'one':>9}{'ratio':>7}")
    for name, variants in LISTS.items():
        for games in args.sizes:
            for dtype in ("float32", "uint8"):
                options = {"dtype": dtype, "num_threads": args.threads}
                mixed, one = measured(variants, games, args.repetitions, **options)
                cells = f"{mixed:9.1f}{one:9.1f}{mixed / one:7.2f}"
                print(f"{name:<30}{games:7}{dtype:>9}{cells}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
