"""Measures work by the least time of each of its parts, beside a reference in the same run."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from threading import Thread
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Measured", "Work", "copies", "line", "lines", "measure", "timed"]

#: Parts of the work of copying, and how many bytes each copies at least: the clock ticks coarsely.
_COPIES = 16
_LEAST_BYTES = 1 << 16

_UNITS = [("ns", 1e9), ("us", 1e6), ("ms", 1e3)]


@dataclass(frozen=True)
class Work:
    """Work that can be done again and again.

    Attributes:
        name: what it is.
        count: the units of it, such as steps of single games.
        play: does it and returns the seconds of each part; every call has the same parts.
        beside: the name of the work that it is compared with, measured in the same run; None if it
            is a reference itself.
        size: what a unit counts in that comparison, such as the bytes that it writes.
    """

    name: str
    count: float
    play: Callable[[], Sequence[float]]
    beside: str | None = None
    size: float = 1.0


@dataclass(frozen=True)
class Measured:
    """What work took.

    Attributes:
        work: the work.
        parts: the least seconds of each part.
    """

    work: Work
    parts: NDArray[np.float64]

    @property
    def rate(self) -> float:
        """Units per second, if every part takes its least time."""
        return self.work.count / float(self.parts.sum())

    def ratio(self, reference: Measured) -> float:
        """Return the rate as a multiple of that of the reference, units counted by their size."""
        return self.rate * self.work.size / (reference.rate * reference.work.size)


def measure(works: Sequence[Work], seconds: float) -> dict[str, Measured]:
    """Do all the work in turns, for `seconds` each but at least twice.

    Of each part only the least time counts: other load on the machine can only make it longer.

    Returns:
        What was measured, by the name of the work.
    """
    least = {work.name: np.array(work.play()) for work in works}
    spent = dict.fromkeys(least, 0.0)
    waiting = list(works)
    while waiting:
        for work in waiting:
            begin = time.perf_counter()
            least[work.name] = np.minimum(least[work.name], work.play())
            spent[work.name] += time.perf_counter() - begin
        waiting = [work for work in waiting if spent[work.name] < seconds]
    return {work.name: Measured(work, least[work.name]) for work in works}


def timed(
    work: Callable[..., object], *arguments: Any, clock: Callable[[], float] = time.perf_counter
) -> float:
    """Return the seconds that a call takes, by the clock."""
    begin = clock()
    work(*arguments)
    return clock() - begin


def copies(
    name: str,
    count: float,
    arrays: Sequence[NDArray[Any]],
    num_threads: int = 1,
    beside: str | None = None,
) -> Work:
    """Return the work of copying arrays with NumPy, which is the limit set by memory.

    Each thread copies its own part of them and waits for no other.

    Args:
        name: the name of the work.
        count: the units whose bytes the arrays are.
        arrays: what is copied.
        num_threads: how many threads copy.
        beside: the name of the work that it is compared with.
    """
    repeats = max(1, _LEAST_BYTES // sum(array.nbytes for array in arrays))
    split = [np.array_split(array, num_threads) for array in arrays]
    shares = list(zip(*split, strict=True))
    targets = [[np.empty_like(share) for share in thread] for thread in shares]
    taken: list[list[float]] = [[] for _ in shares]

    def copy(thread: int) -> None:
        for _ in range(repeats):
            for target, share in zip(targets[thread], shares[thread], strict=True):
                np.copyto(target, share)

    def run(thread: int) -> None:
        taken[thread] = [timed(copy, thread) for _ in range(_COPIES)]

    def play() -> list[float]:
        others = [Thread(target=run, args=(thread,)) for thread in range(1, num_threads)]
        for other in others:
            other.start()
        run(0)
        for other in others:
            other.join()
        return [max(times) for times in zip(*taken, strict=True)]

    return Work(name, count * repeats * _COPIES, play, beside)


def line(found: Measured, reference: Measured | None) -> str:
    """Return a line of a table: the name, units per second, the time of one, and the ratio."""
    each = float(found.parts.sum()) / found.work.count
    unit, scale = next((it for it in _UNITS if each < 1000 / it[1]), _UNITS[-1])
    cells = f"{found.work.name:<46}{_digits(found.rate):>14}/s{each * scale:9.1f} {unit}"
    if reference is None:
        return cells
    return f"{cells}{_digits(found.ratio(reference)):>9} x {reference.work.name}"


def lines(found: Mapping[str, Measured]) -> list[str]:
    """Return a line for everything that was measured together; see `line`."""
    beside = ((one, one.work.beside) for one in found.values())
    return [line(one, None if name is None else found[name]) for one, name in beside]


def _digits(number: float) -> str:
    return f"{number:,.{3 if number < 1 else 2 if number < 10 else 0}f}"
