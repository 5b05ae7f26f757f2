"""``mijnlieff bench --search``: the speed of searches, compared with copying network inputs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from mijnlieff._mijnlieff import Position, TreeSearch, Variant, random_openings
from mijnlieff.cli.timing import PARTS, copy_rate, rate

__all__ = ["bench_searches"]

#: Random plies before a search.
_PLIES = 4

_ROOTS: list[Literal["puct", "gumbel"]] = ["puct", "gumbel"]


def bench_searches(
    variant: Variant,
    *,
    sizes: Sequence[int],
    threads: Sequence[int],
    simulations: int,
    seconds: float,
) -> int:
    """Measure, print a line for each root rule, size and number of threads; return the exit code.

    Args:
        variant: the variant of the positions.
        sizes: numbers of trees.
        threads: numbers of threads.
        simulations: simulations of each search.
        seconds: time to measure for each line.

    Returns:
        0.
    """
    print(
        f"Searches of {simulations} simulations after {_PLIES} random plies, begun by `restart`,\n"
        "with a network that takes no time (its output is made once).\n"
        "simulations: of all trees, per second; copies: NumPy copies of the observation, mask and\n"
        "logits of one leaf per second, on as many threads, which do not wait for each other;\n"
        f"share: simulations divided by copies. The best of {PARTS} measurements.\n"
    )
    columns = ("games", "threads", "simulations", "copies", "share")
    widths = (7, 7, 12, 12, 6)
    titles = (f"{name:>{width}}" for name, width in zip(columns, widths, strict=True))
    print(f"{'root':>7}", *titles, sep="  ")
    for root in _ROOTS:
        for size in sizes:
            for number in threads:
                searched, copied = _measure(variant, root, size, number, simulations, seconds)
                print(
                    f"{root:>7}  {size:7}  {number:7}  {searched:12,.0f}  {copied:12,.0f}  "
                    f"{searched / copied:6.1%}",
                    flush=True,
                )
    return 0


def _measure(
    variant: Variant,
    root: Literal["puct", "gumbel"],
    size: int,
    threads: int,
    simulations: int,
    seconds: float,
) -> tuple[float, float]:
    """Return simulations per second, and copies of the data of a leaf per second."""
    # A tree restarted at the same position keeps its nodes, so two sets of positions alternate.
    sets = [random_openings(size, _PLIES, variant, seed=seed) for seed in (0, 1)]
    search = TreeSearch(sets[0], simulations, root=root, num_threads=threads)
    generator = np.random.default_rng(0)
    logits = generator.normal(size=(size, variant.num_actions)).astype(np.float32)
    values = np.tanh(generator.normal(size=size)).astype(np.float32)
    batch = search.select()
    assert batch is not None  # nothing has been simulated yet
    leaf = [
        np.zeros((size, *batch.observation.shape[1:]), np.float32),
        np.zeros((size, variant.num_actions), np.int8),
        logits,
    ]

    def next_set() -> list[Position]:
        sets.reverse()
        return sets[0]

    def run(positions: list[Position]) -> None:
        search.restart(positions)
        while (batch := search.select()) is not None:
            leaves = len(batch)
            search.update(logits[:leaves], values[:leaves])
        _ = search.actions, search.policy_targets

    run(next_set())  # allocates the memory
    searched = rate(run, next_set, seconds) * size * simulations
    return searched, copy_rate(leaf, min(threads, size), seconds / 3) * size
