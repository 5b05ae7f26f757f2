"""Measures how often a function runs per second."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Thread
from typing import Any, TypeVar

import numpy as np

__all__ = ["PARTS", "copy_rate", "nothing", "rate"]

_T = TypeVar("_T")

#: Parts of a measurement; the best part counts.
PARTS = 8


def nothing() -> None:
    """Prepare nothing."""


def rate(work: Callable[[_T], object], prepare: Callable[[], _T], seconds: float) -> float:
    """Return how often `work` runs per second, without the time of `prepare`.

    The time is cut into parts and the best one counts: other load on the machine only slows it.
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
    """Return how often per second NumPy copies the arrays; every thread copies a part of them.

    The threads do not wait for each other, so this is the limit set by memory.
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
