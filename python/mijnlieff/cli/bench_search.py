"""``mijnlieff bench --search``: how fast trees grow, beside copying what a network takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np

from mijnlieff._mijnlieff import Position, TreeSearch, Variant, random_openings
from mijnlieff.cli.timing import PARTS, copy_rate, rate

__all__ = ["bench_searches"]

#: Random plies before the positions that are searched.
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
        variant: of the positions.
        sizes: numbers of trees.
        threads: numbers of threads.
        simulations: of each search.
        seconds: to measure for each line.

    Returns:
        0.
    """
    print(
        f"Searches of {simulations} simulations from positions after {_PLIES} random plies, begun\n"
        "by `restart`, with a network that costs nothing: its numbers are written once.\n"
        "'simulations' are those of all trees in a second; 'copies' is how often NumPy copies the\n"
        "observation, the mask and the logits of one leaf, on as many threads that never wait;\n"
        f"'share' is the part that simulations have of that. The best of {PARTS} measurements.\n"
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
    """Return simulations and copies of what a leaf takes, in a second."""
    # A tree that is put at the position it was at keeps what it knows, so there are two sets.
    sets = [random_openings(size, _PLIES, variant, seed=seed) for seed in (0, 1)]
    search = TreeSearch(sets[0], simulations, root, num_threads=threads)
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

    run(next_set())  # makes room
    searched = rate(run, next_set, seconds) * size * simulations
    return searched, copy_rate(leaf, min(threads, size), seconds / 3) * size
