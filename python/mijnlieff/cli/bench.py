"""``mijnlieff bench``: the speed of environments and searches, compared with copying memory."""

from __future__ import annotations

import argparse
from functools import lru_cache
from typing import Any

import numpy as np

from mijnlieff._mijnlieff import MAX_ENVS, Position, Variant
from mijnlieff.cli.bench_boards import bench_boards
from mijnlieff.cli.bench_functional import bench_functional
from mijnlieff.cli.bench_search import bench_searches
from mijnlieff.cli.options import add_variant_arguments, integer, variant_of
from mijnlieff.cli.timing import PARTS, copy_rate, nothing, rate
from mijnlieff.envs.vector import VectorEnv
from mijnlieff.policies.load import POLICY_FORMS

__all__ = ["add_arguments", "run", "step_rate"]

_SIZES = [1, 64, 1024, 4096, 16384, 65536]
_DEFAULTS = {"observation": "flat", "dtype": "float32", "simulations": 32}
_VARIANT = ("board", "opening", "copies")
_OPPONENT = ("opponent",)
_ARRAYS = ("observation", "dtype")
_NOT_TAKEN = {
    None: ("simulations",),
    "boards": (*_VARIANT, *_OPPONENT, "simulations"),
    "functional": (*_OPPONENT, "simulations"),
    "search": (*_OPPONENT, *_ARRAYS),
}
"""The options that each mode does not take."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--sizes",
        type=integer(1, MAX_ENVS),
        nargs="+",
        metavar="N",
        help=f"batch sizes (default: {' '.join(map(str, _SIZES))}; with --search: 1024; "
        "with --boards: 256)",
    )
    parser.add_argument(
        "--num-threads",
        type=integer(1),
        nargs="+",
        default=[1, 2],
        metavar="T",
        help="numbers of threads (default: 1 2)",
    )
    parser.add_argument(
        "--opponent",
        metavar="POLICY",
        help=f"step against an opponent instead of self-play: {POLICY_FORMS}",
    )
    parser.add_argument(
        "--observation",
        choices=["flat", "planes", "packed"],
        help=f"layout of observations (default: {_DEFAULTS['observation']})",
    )
    parser.add_argument(
        "--dtype",
        choices=["float32", "uint8"],
        help=f"dtype of flat and planes observations (default: {_DEFAULTS['dtype']})",
    )
    mode = parser.add_mutually_exclusive_group()
    mode.add_argument(
        "--boards",
        action="store_true",
        help="measure boards of several sizes, and many in one batch, instead",
    )
    mode.add_argument(
        "--functional",
        action="store_true",
        help="measure mijnlieff.functional beside steps of VectorEnv instead",
    )
    mode.add_argument(
        "--search",
        action="store_true",
        help="measure tree searches instead, with a network that takes no time",
    )
    parser.add_argument(
        "--simulations",
        type=integer(1, 1 << 16),
        help=f"simulations of each search, with --search (default: {_DEFAULTS['simulations']})",
    )
    parser.add_argument(
        "--milliseconds",
        type=integer(1),
        default=300,
        help="time to measure for each line (default: %(default)s)",
    )
    add_variant_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Measure, print a line for each size and number of threads, and return the exit code.

    Raises:
        ValueError: an option that the mode does not take.
        VariantError: packed observations cannot hold the board.
    """
    _check_options(args)
    for name, default in _DEFAULTS.items():
        if getattr(args, name) is None:
            setattr(args, name, default)
    variant = variant_of(args)
    if args.search:
        return bench_searches(
            variant,
            sizes=args.sizes or [1024],
            threads=args.num_threads,
            simulations=args.simulations,
            seconds=args.milliseconds / 1000,
        )
    if args.functional:
        return _bench_functional(args, variant)
    if args.boards:
        return _bench_boards(args)
    kind = "packed" if args.observation == "packed" else f"{args.observation} {args.dtype}"
    print(
        f"Random legal actions, drawn beforehand; {kind} observations, masks and rewards.\n"
        "own: steps with copy=False; fresh: steps with copy=True; sampled: steps with copy=False,\n"
        "including the time to draw the actions; copies: NumPy copies of the same bytes, on as\n"
        "many threads, which do not wait for each other; share: own divided by copies.\n"
        f"All are steps of single games per second, the best of {PARTS} measurements.\n"
    )
    columns = ("own", "fresh", "sampled", "copies")
    print(f"{'games':>7}  {'threads':>7}", *(f"{name:>12}" for name in columns), f"{'share':>6}")
    for size in args.sizes or _SIZES:
        for threads in args.num_threads:
            options = {
                "opponent": args.opponent,
                "observation": args.observation,
                "dtype": args.dtype,
                "num_threads": threads,
            }
            rates = [size * one for one in _measure(size, variant, options, args.milliseconds)]
            print(
                f"{size:7}  {threads:7}",
                *(f"{one:12,.0f}" for one in rates),
                f"{rates[0] / rates[-1]:6.1%}",
                flush=True,
            )
    return 0


def _check_options(args: argparse.Namespace) -> None:
    """Refuse options that would have no effect."""
    mode = next((name for name in _NOT_TAKEN if name and getattr(args, name)), None)
    for name in _NOT_TAKEN[mode]:
        if getattr(args, name) is not None:
            option = "--" + name.replace("_", "-")
            if mode is None:
                raise ValueError(f"{option} needs --search")
            raise ValueError(f"--{mode} does not take {option}: leave one of them out")


def _bench_boards(args: argparse.Namespace) -> int:
    kind = {"observation": args.observation, "dtype": args.dtype}

    def env_rate(size: int, threads: int, boards: dict[str, Any]) -> float:
        options = {"variant": None, "num_threads": threads, "copy": False, **kind, **boards}
        return step_rate(size, seconds=args.milliseconds / 1000, **options)

    return bench_boards(
        sizes=args.sizes or [256], threads=args.num_threads, step_rate=env_rate, **kind
    )


def _bench_functional(args: argparse.Namespace, variant: Variant) -> int:
    seconds = args.milliseconds / 1000
    kind = {"observation": args.observation, "dtype": args.dtype}

    def env_rate(size: int, threads: int) -> float:
        return step_rate(size, variant, seconds, num_threads=threads, copy=False, **kind)

    return bench_functional(
        variant,
        sizes=args.sizes or _SIZES,
        threads=args.num_threads,
        seconds=seconds,
        env_rate=env_rate,
        **kind,
    )


def _measure(
    size: int, variant: Variant, options: dict[str, Any], milliseconds: int
) -> tuple[float, float, float, float]:
    """Return steps of the batch per second in each way, and copies of its arrays per second."""
    seconds = milliseconds / 1000
    own, fresh = (step_rate(size, variant, seconds, copy=copy, **options) for copy in (False, True))
    env = _started(size, variant, {**options, "copy": False})
    steps = _steps_at_once(size)

    def draw_and_play(prepared: None) -> None:
        for _ in range(steps):
            env.step(env.sample_actions())

    sampled = steps * rate(draw_and_play, nothing, seconds)
    observations, info = env.reset()
    arrays = [observations, info["action_mask"], np.zeros(size, np.float32)]
    copies = copy_rate(arrays, min(options["num_threads"], size), seconds / 3)
    env.close()
    return own, fresh, sampled, copies


def step_rate(size: int, variant: Variant | None, seconds: float, **options: Any) -> float:
    """Return the steps of a batch per second, with games at all stages and random actions.

    Args:
        size: number of games.
        variant: the variant to play, None with the option `variants`.
        seconds: time to measure.
        options: options of `VectorEnv`.

    Returns:
        Steps of the batch per second, without the time to draw the actions.
    """
    env = _started(size, variant, options)
    steps = _steps_at_once(size)
    # Plays the same games ahead, so the actions of several steps are known.
    twin = None if steps == 1 else _started(size, variant, options)

    def draw() -> list[Any]:
        if twin is None:
            return [env.sample_actions()]
        return [_draw_and_step(twin) for _ in range(steps)]

    def play(recorded: list[Any]) -> None:
        for actions in recorded:
            env.step(actions)

    best = steps * rate(play, draw, seconds)
    env.close()
    if twin is not None:
        twin.close()
    return best


def _steps_at_once(size: int) -> int:
    """Return how many steps to time together: one step of few games is too short for the clock."""
    return max(1, 256 // size)


def _started(size: int, variant: Variant | None, options: dict[str, Any]) -> VectorEnv:
    """Return a batch whose games are at all stages; the first games of a batch end together."""
    env = VectorEnv(size, variant, **options)
    env.reset(seed=0)
    env.set_positions(_positions(size, variant, options.get("variants")))
    return env


@lru_cache(maxsize=1)
def _positions(
    size: int, variant: Variant | None, variants: tuple[Variant, ...] | None
) -> list[Position]:
    """Play random games until they are at all stages."""
    env = VectorEnv(size, variant, variants=variants, num_threads=1)
    env.reset(seed=0)
    for _ in range(192):
        _draw_and_step(env)
    return env.positions()


def _draw_and_step(env: VectorEnv) -> Any:
    """Play random actions and return them."""
    actions = env.sample_actions()
    env.step(actions)
    return actions
