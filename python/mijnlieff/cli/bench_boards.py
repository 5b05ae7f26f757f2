"""``mijnlieff bench --boards``: boards of several sizes beside the standard board."""

from __future__ import annotations

from collections.abc import Callable

from mijnlieff._mijnlieff import Board, Variant
from mijnlieff.cli.timing import PARTS
from mijnlieff.envs.vector import VectorEnv

__all__ = ["bench_boards"]


def _variants() -> list[tuple[str, Variant]]:
    """Return the boards by name, the standard one first."""

    def full(width: int, height: int) -> Board:
        return Board.from_text("\n".join(["#" * width] * height))

    return [
        ("16 cells", Variant()),
        ("16 cells, 4 copies", Variant(copies=4)),
        ("20 cells", Variant(full(4, 5))),
        ("32 cells, 4 copies", Variant(full(8, 4), copies=4)),
        ("64 cells, 8 copies", Variant(full(8, 8), copies=8)),
    ]


def bench_boards(
    *,
    sizes: list[int],
    threads: list[int],
    observation: str,
    dtype: str,
    step_rate: Callable[[int, int, Variant], float],
) -> int:
    """Print a line for each size, number of threads and board, and return the exit code.

    `step_rate` measures `VectorEnv`: the steps of a batch per second, given its size, its threads
    and the variant.
    """
    print(
        f"Random legal actions, drawn beforehand; {observation} {dtype} observations, masks and\n"
        "rewards, copy=False. bytes: of an observation and a mask; per byte: the rate at which\n"
        "bytes are written, divided by that of the first board.\n"
        f"Steps are steps of single games per second, the best of {PARTS} measurements.\n"
    )
    print(
        f"{'games':>7}  {'threads':>7}  {'board':18}  {'bytes':>6}  {'steps':>12}  {'per byte':>8}"
    )
    for size in sizes:
        for count in threads:
            first = None
            for name, variant in _variants():
                written = _written(variant, observation, dtype)
                steps = size * step_rate(size, count, variant)
                first = first or steps * written
                print(
                    f"{size:7}  {count:7}  {name:18}  {written:6}  {steps:12,.0f}"
                    f"  {steps * written / first:8.2f}",
                    flush=True,
                )
    return 0


def _written(variant: Variant, observation: str, dtype: str) -> int:
    """Return the bytes of an observation and a mask."""
    env = VectorEnv(1, variant, observation=observation, dtype=dtype)
    observations, info = env.reset(seed=0)
    env.close()
    written: int = observations.nbytes + info["action_mask"].nbytes
    return written
