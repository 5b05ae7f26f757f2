"""``mijnlieff bench``: how fast the vector environment steps, beside copying the same bytes."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np

from mijnlieff.commands.options import add_variant_arguments, integer, variant_of
from mijnlieff.vector import MAX_ENVS, VectorEnv

__all__ = ["add_arguments", "run"]

_T = TypeVar("_T")

_SIZES = [1, 64, 1024, 4096, 16384]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "--sizes",
        type=integer(1, MAX_ENVS),
        nargs="+",
        default=_SIZES,
        metavar="N",
        help=f"numbers of games stepped at once (default: {' '.join(map(str, _SIZES))})",
    )
    parser.add_argument(
        "--threads",
        type=integer(1),
        nargs="+",
        default=[1, 2],
        metavar="T",
        help="numbers of threads (default: 1 2)",
    )
    parser.add_argument(
        "--opponent",
        choices=["random", "greedy", "minimax"],
        help="step against an opponent instead of self-play",
    )
    parser.add_argument(
        "--opponent-depth", type=integer(1, 64), default=2, help="of minimax (default: %(default)s)"
    )
    parser.add_argument(
        "--observation",
        choices=["flat", "planes", "packed"],
        default="flat",
        help="layout of observations (default: %(default)s)",
    )
    parser.add_argument(
        "--milliseconds",
        type=integer(1),
        default=300,
        help="of stepping for each line (default: %(default)s)",
    )
    add_variant_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Measure, print a line for each size and number of threads, and return the exit code.

    Raises:
        VariantError: packed observations of a board they cannot hold.
    """
    variant = variant_of(args)
    print(
        "Random legal actions, drawn beforehand; observations, masks and rewards are written into\n"
        "the environment's own arrays. 'copies' is how often NumPy copies the same bytes.\n"
    )
    print(f"{'games':>7}  {'threads':>7}  {'steps/s':>13}  {'copies/s':>13}  {'share':>6}")
    for size in args.sizes:
        for threads in args.threads:
            env = VectorEnv(
                size,
                variant,
                opponent=args.opponent,
                opponent_depth=args.opponent_depth,
                observation=args.observation,
                num_threads=threads,
                copy=False,
            )
            steps, copies = _measure(env, args.milliseconds / 1000)
            env.close()
            print(
                f"{size:7}  {threads:7}  {size * steps:13,.0f}  {size * copies:13,.0f}  "
                f"{steps / copies:6.1%}",
                flush=True,
            )
    return 0


def _measure(env: VectorEnv, seconds: float) -> tuple[float, float]:
    """Return how often in a second the batch steps, and its arrays can be copied."""
    observations, info = env.reset(seed=0)
    rewards = np.zeros(env.num_envs, dtype=np.float32)
    arrays: list[Any] = [observations, info["action_mask"], rewards]
    targets = [np.empty_like(array) for array in arrays]

    def copy(_actions: None) -> None:
        for target, array in zip(targets, arrays, strict=True):
            np.copyto(target, array)

    env.step(env.sample_actions())  # the first step may set something up
    return _rate(env.step, env.sample_actions, seconds), _rate(copy, lambda: None, seconds / 3)


def _rate(work: Callable[[_T], object], prepare: Callable[[], _T], seconds: float) -> float:
    """Return how often `work` runs in a second, not counting what prepares it."""
    spent, runs = 0.0, 0
    while spent < seconds or runs < 3:
        prepared = prepare()
        start = time.perf_counter()
        work(prepared)
        spent += time.perf_counter() - start
        runs += 1
    return runs / spent
