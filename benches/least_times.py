"""Print the least time of each step over repetitions of the same games.

    python benches/least_times.py

On a busy machine, rates depend on the other load. Here a batch plays the same recorded games again
and again, and of every step only the shortest time counts. NumPy copies the same bytes in turns
with it, measured in the same way. The cost of an end comes from a straight line through the times
over the shares of games that ended.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from mijnlieff import VectorEnv

#: Steps before the ones that count: games that start together end together.
WARM_UP = 300
STEPS = 200


def timed(work: Callable[..., Any], *arguments: Any) -> tuple[float, Any]:
    """Return the seconds that a call takes, and its result."""
    begin = time.perf_counter()
    result = work(*arguments)
    return time.perf_counter() - begin, result


def least_times(games: int, repetitions: int, **options: Any) -> tuple[list[float], float]:
    """Return nanoseconds a game.

    Returns:
        Those of a step on average, of one without ends and of an end; and those of copying.
    """
    env = VectorEnv(games, **options)
    env.reset(seed=0)
    recorded, ended = [], []
    for _ in range(WARM_UP + STEPS):
        actions = env.sample_actions()
        recorded.append(actions)
        ended.append(env.step(actions)[2].mean())
    observations, info = env.reset(seed=0)
    arrays = [observations, info["action_mask"], np.zeros(games, np.float32)]
    targets = [np.empty_like(array) for array in arrays]
    actions = np.empty_like(recorded[0])

    def copy() -> None:
        for target, array in zip(targets, arrays, strict=True):
            np.copyto(target, array)

    least = np.full((2, WARM_UP + STEPS), np.inf)
    for _ in range(repetitions):
        env.reset(seed=0)
        for i, chosen in enumerate(recorded):
            actions[:] = chosen  # as fresh in the cache as if they had just been chosen
            least[0, i] = min(least[0, i], timed(env.step, actions)[0])
        for i in range(WARM_UP + STEPS):
            least[1, i] = min(least[1, i], timed(copy)[0])
    env.close()
    steps, copies = least[:, WARM_UP:] * 1e9 / games
    slope, start = np.polyfit(ended[WARM_UP:], steps, 1)
    return [steps.mean(), start, slope], copies.mean()


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="Print the least time of each step.")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1024, 4096, 16384])
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--observation", default="flat")
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--copy", action="store_true", help="hand out other arrays every step")
    parser.add_argument("--repetitions", type=int, default=30)
    args = parser.parse_args()
    print(
        "Nanoseconds a game, the least of each step over all repetitions: a step, one without\n"
        "ends, the extra cost of an end, and NumPy copying the same bytes on one thread.\n"
    )
    names = ("games", "threads", "step", "no end", "an end", "copy", "share")
    print(*(f"{name:>8}" for name in names))
    for games in args.sizes:
        for threads in args.threads:
            step, copied = least_times(
                games,
                args.repetitions,
                num_threads=threads,
                observation=args.observation,
                dtype=args.dtype,
                copy=args.copy,
            )
            times = (*step, copied)
            cells = (f"{one:8.1f}" for one in times)
            print(f"{games:8} {threads:8}", *cells, f"{copied / step[0]:8.1%}", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
