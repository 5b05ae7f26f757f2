"""A step or reset of a batch, in the middle of which an opponent in Python is asked."""

from __future__ import annotations

from collections.abc import Callable
from itertools import count
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import BatchEnv, Position

__all__ = ["play_outside"]

_Result = TypeVar("_Result")

_CALLS = count(1)
"""Numbers by which a batch tells one call from another."""


def play_outside(
    batch: BatchEnv,
    start: Callable[[int], None],
    ask: Callable[[list[Position]], NDArray[np.int64]],
    finish: Callable[[], _Result],
    undone: Callable[[], None] = lambda: None,
) -> _Result:
    """Start a step or reset, let the opponent act until no game waits for it, and finish.

    An error undoes everything. Only Ctrl-C right after the end comes too late for that: then the
    games have moved on, and what `finish` returned is lost.

    Args:
        batch: the games.
        start: starts the step or reset, given the number of this call.
        ask: returns the opponent's actions in the positions that wait for it.
        finish: ends the step or reset.
        undone: called when the games are as before.

    Returns:
        What `finish` returns.
    """
    call = next(_CALLS)
    has_started = False
    try:
        start(call)
        has_started = True
        while waiting := batch.pending():
            batch.answer(ask(waiting))
        return finish()
    except BaseException:
        # A call that is refused may come in the middle of another one, which goes on.
        if batch.roll_back(call) or not has_started:
            undone()
        raise
