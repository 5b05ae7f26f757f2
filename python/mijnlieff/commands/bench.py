"""``mijnlieff bench``: how fast the vector environment steps, beside copying the same bytes."""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from threading import Thread
from typing import Any, TypeVar

import numpy as np

from mijnlieff._mijnlieff import Variant
from mijnlieff.commands.options import add_variant_arguments, integer, variant_of
from mijnlieff.vector import MAX_ENVS, VectorEnv

__all__ = ["add_arguments", "run"]

_T = TypeVar("_T")

#: Of a measurement, to take the best of.
_PARTS = 8

_SIZES = [1, 64, 1024, 4096, 16384, 65536]


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
        "--dtype",
        choices=["float32", "uint8"],
        default="float32",
        help="of flat and planes observations (default: %(default)s)",
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
    kind = "packed" if args.observation == "packed" else f"{args.observation} {args.dtype}"
    print(
        f"Random legal actions, drawn beforehand; {kind} observations, masks and rewards.\n"
        "'own' hands out the environment's own arrays (copy=False), 'fresh' others every step;\n"
        "'copies' is how often NumPy copies the same bytes, on as many threads that never wait;\n"
        "'share' is the part 'own' has of that;\n"
        "'sampled' counts drawing the actions as well. All are steps of one game in a second,\n"
        f"in the best of {_PARTS} measurements.\n"
    )
    columns = ("own", "fresh", "sampled", "copies")
    print(f"{'games':>7}  {'threads':>7}", *(f"{name:>12}" for name in columns), f"{'share':>6}")
    for size in args.sizes:
        for threads in args.threads:
            options = {
                "opponent": args.opponent,
                "opponent_depth": args.opponent_depth,
                "observation": args.observation,
                "dtype": args.dtype,
                "num_threads": threads,
            }
            rates = [size * rate for rate in _measure(size, variant, options, args.milliseconds)]
            print(
                f"{size:7}  {threads:7}",
                *(f"{rate:12,.0f}" for rate in rates),
                f"{rates[0] / rates[-1]:6.1%}",
                flush=True,
            )
    return 0


def _measure(
    size: int, variant: Variant, options: dict[str, Any], milliseconds: int
) -> tuple[float, float, float, float]:
    """Return how often in a second the batch steps in each way, and its arrays can be copied."""
    seconds = milliseconds / 1000
    rates = []
    for copy in (False, True):
        env = VectorEnv(size, variant, copy=copy, **options)
        observations, info = env.reset(seed=0)
        # The first games end together; measured is how it goes on.
        for _ in range(min(64, 2**20 // size)):
            env.step(env.sample_actions())
        rates.append(_rate(env.step, env.sample_actions, seconds))
        if not copy:
            sampled = _sampled_rate(env, seconds)
            arrays = [observations, info["action_mask"], np.zeros(size, np.float32)]
            copies = _copy_rate(arrays, min(options["num_threads"], size), seconds / 3)
        env.close()
    return rates[0], rates[1], sampled, copies


def _sampled_rate(env: VectorEnv, seconds: float) -> float:
    """Return how often in a second the batch draws actions and steps."""

    def sample_and_step(_: None) -> None:
        env.step(env.sample_actions())

    return _rate(sample_and_step, _nothing, seconds)


def _copy_rate(arrays: list[Any], threads: int, seconds: float) -> float:
    """Return how often in a second NumPy copies the arrays, each thread a share of its own.

    The threads do not wait for each other, so it is what the memory allows and no more.
    """
    rates = [0.0] * threads

    def copy_share(thread: int) -> None:
        shares = [np.array_split(array, threads)[thread] for array in arrays]
        targets = [np.empty_like(share) for share in shares]

        def copy(_: None) -> None:
            for target, share in zip(targets, shares, strict=True):
                np.copyto(target, share)

        rates[thread] = _rate(copy, _nothing, seconds)

    others = [Thread(target=copy_share, args=(thread,)) for thread in range(1, threads)]
    for thread in others:
        thread.start()
    copy_share(0)
    for thread in others:
        thread.join()
    return min(rates)


def _nothing() -> None:
    """Prepare nothing."""


def _rate(work: Callable[[_T], object], prepare: Callable[[], _T], seconds: float) -> float:
    """Return how often `work` runs in a second, not counting what prepares it.

    The time is cut into parts and the best one counts: whatever else the machine does only slows.
    """
    return max(_rate_once(work, prepare, seconds / _PARTS) for _ in range(_PARTS))


def _rate_once(work: Callable[[_T], object], prepare: Callable[[], _T], seconds: float) -> float:
    spent, runs = 0.0, 0
    while spent < seconds or runs < 3:
        prepared = prepare()
        start = time.perf_counter()
        work(prepared)
        spent += time.perf_counter() - start
        runs += 1
    return runs / spent
