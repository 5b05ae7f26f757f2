"""A step or reset of a batch, in the middle of which an opponent in Python is asked."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import BatchEnv, Position

__all__ = ["play_outside"]

_Result = TypeVar("_Result")


def play_outside(
    batch: BatchEnv,
    start: Callable[[], None],
    ask: Callable[[list[Position]], NDArray[np.int64]],
    finish: Callable[[], _Result],
) -> _Result:
    """Start a step or reset, let the opponent act until no game waits for it, and finish.

    An error undoes everything, also one that Ctrl-C raises right after a call that has succeeded.

    Args:
        batch: the games.
        start: starts the step or reset.
        ask: returns the opponent's actions in the positions that wait for it.
        finish: ends the step or reset.

    Returns:
        What `finish` returns.
    """
    is_refused = False
    try:
        try:
            start()
        except RuntimeError:  # what is under way may be another's, which goes on
            is_refused = True
            raise
        while waiting := batch.pending():
            batch.answer(ask(waiting))
        return finish()
    except BaseException:
        if not is_refused:
            batch.roll_back()
        raise
