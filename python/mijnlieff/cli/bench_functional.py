"""``mijnlieff bench --functional``: functions on states beside steps of `VectorEnv`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

from mijnlieff import functional
from mijnlieff._mijnlieff import Variant
from mijnlieff.cli.timing import PARTS, nothing, rate
from mijnlieff.envs.vector import VectorEnv

__all__ = ["bench_functional"]

#: Steps after which the games of a batch are at all stages.
_WARM_UP = 192


def bench_functional(
    variant: Variant,
    *,
    sizes: list[int],
    threads: list[int],
    observation: Literal["flat", "planes", "packed"],
    dtype: str,
    seconds: float,
    env_rate: Callable[[int, int], float],
) -> int:
    """Print a line for each size and number of threads, and return the exit code.

    `env_rate` measures `VectorEnv`: the steps of a batch per second, given its size and threads.

    Raises:
        VariantError: packed observations cannot hold the board.
    """
    print(
        "Random legal actions, drawn beforehand. env: VectorEnv.step, with observation, mask and\n"
        "reward; step, mask, observe: functions of mijnlieff.functional; all: the three of them,\n"
        "which give what VectorEnv.step gives; ratio: all divided by env.\n"
        f"All are games per second, the best of {PARTS} measurements.\n"
    )
    columns = ("env", "step", "mask", "observe", "all")
    print(f"{'games':>7}  {'threads':>7}", *(f"{name:>12}" for name in columns), f"{'ratio':>6}")
    for size in sizes:
        for count in threads:
            functions = _measure(size, count, variant, observation, dtype, seconds)
            rates = [env_rate(size, count), *functions]
            numbers = (f"{size * one:12,.0f}" for one in rates)
            print(f"{size:7}  {count:7}", *numbers, f"{rates[-1] / rates[0]:6.3f}", flush=True)
    return 0


def _measure(
    size: int,
    num_threads: int,
    variant: Variant,
    observation: Literal["flat", "planes", "packed"],
    dtype: str,
    seconds: float,
) -> list[float]:
    """Return how often the functions of a line run per second."""
    env = VectorEnv(size, variant)
    env.reset(seed=0)
    for _ in range(_WARM_UP):
        env.step(env.sample_actions())
    states = functional.from_positions(env.positions())
    actions = env.sample_actions()
    env.close()
    repeats = max(1, 256 // size)  # one call on few games is too short for the clock

    def step(_: None = None) -> Any:
        return functional.step(states, actions, variant, num_threads=num_threads)[0]

    def mask(_: None = None) -> Any:
        return functional.legal_mask(states, variant, num_threads=num_threads)

    def observe(_: None = None) -> Any:
        return functional.observe(states, observation, dtype, variant, num_threads=num_threads)

    def everything(_: None) -> None:
        following = step()
        functional.legal_mask(following, variant, num_threads=num_threads)
        functional.observe(following, observation, dtype, variant, num_threads=num_threads)

    def repeated(work: Any) -> float:
        def run(_: None) -> None:
            for _call in range(repeats):
                work(None)

        return repeats * rate(run, nothing, seconds)

    return [repeated(work) for work in (step, mask, observe, everything)]
