"""Measuring how often something runs in a second."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Thread
from typing import Any, TypeVar

import numpy as np

__all__ = ["PARTS", "copy_rate", "nothing", "rate"]

_T = TypeVar("_T")

#: Of a measurement, to take the best of.
PARTS = 8


def nothing() -> None:
    """Prepare nothing."""


def rate(work: Callable[[_T], object], prepare: Callable[[], _T], seconds: float) -> float:
    """Return how often `work` runs in a second, not counting what prepares it.

    The time is cut into parts and the best one counts: whatever else the machine does only slows.
    """
    return max(_rate_once(work, prepare, seconds / PARTS) for _ in range(PARTS))


def _rate_once(work: Callable[[_T], object], prepare: Callable[[], _T], seconds: float) -> float:
    spent, runs = 0.0, 0
    while spent < seconds or runs < 3:
        prepared = prepare()
        start = time.perf_counter()
        work(prepared)
        spent += time.perf_counter() - start
        runs += 1
    return runs / spent


def copy_rate(arrays: list[Any], threads: int, seconds: float) -> float:
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

        rates[thread] = rate(copy, nothing, seconds)

    others = [Thread(target=copy_share, args=(thread,)) for thread in range(1, threads)]
    for thread in others:
        thread.start()
    copy_share(0)
    for thread in others:
        thread.join()
    return min(rates)
