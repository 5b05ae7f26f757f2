"""``mijnlieff bench --boards``: boards of several sizes beside the standard board."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from mijnlieff._mijnlieff import Board, Canvas, Variant
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


def _on_one_canvas() -> list[tuple[str, dict[str, Any]]]:
    """Return options for one board of four blocks, and for all, on the canvas of all, by name."""
    variants = tuple(Variant(board) for board in Board.arrangements(4))
    shared = {"canvas": Canvas.around(variants), "observation": "planes"}
    one = variants[len(variants) // 2]
    return [
        ("one board", {"variants": (one,), **shared}),
        (f"{len(variants)} boards", {"variants": variants, **shared}),
    ]


def bench_boards(
    *,
    sizes: list[int],
    threads: list[int],
    observation: str,
    dtype: str,
    step_rate: Callable[[int, int, dict[str, Any]], float],
) -> int:
    """Print a line for each size, number of threads and board, and return the exit code.

    A second table is about batches in which every game has its own board.

    `step_rate` measures `VectorEnv`: the steps of a batch per second, given its size, its threads
    and the options of its boards.
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
                written = _written(variant=variant, observation=observation, dtype=dtype)
                steps = size * step_rate(size, count, {"variant": variant})
                first = first or steps * written
                print(
                    f"{size:7}  {count:7}  {name:18}  {written:6}  {steps:12,.0f}"
                    f"  {steps * written / first:8.2f}",
                    flush=True,
                )
    _print_mixed(sizes, threads, dtype, step_rate)
    return 0


def _print_mixed(
    sizes: list[int],
    threads: list[int],
    dtype: str,
    step_rate: Callable[[int, int, dict[str, Any]], float],
) -> None:
    """Print a line for each size and number of threads, and for one board and many."""
    options = _on_one_canvas()
    height, width = options[0][1]["canvas"].observation_shape[1:]
    print(
        f"\nBoards of four blocks on a canvas of {height}x{width}: the same one in all games, and\n"
        f"all boards, of which every game draws one. planes {dtype} observations; ratio: the time\n"
        "of a step, divided by that of one board.\n"
    )
    print(f"{'games':>7}  {'threads':>7}  {'board':18}  {'bytes':>6}  {'steps':>12}  {'ratio':>8}")
    for size in sizes:
        for count in threads:
            one = None
            for name, boards in options:
                steps = size * step_rate(size, count, boards)
                one = one or steps
                print(
                    f"{size:7}  {count:7}  {name:18}  {_written(dtype=dtype, **boards):6}"
                    f"  {steps:12,.0f}  {one / steps:8.2f}",
                    flush=True,
                )


def _written(**options: Any) -> int:
    """Return the bytes of an observation and a mask."""
    env = VectorEnv(1, **options)
    observations, info = env.reset(seed=0)
    env.close()
    return int(observations.nbytes + info["action_mask"].nbytes)
