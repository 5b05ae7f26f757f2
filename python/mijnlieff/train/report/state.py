"""The state of a run, for its observers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["OnReport", "TrainState"]


@dataclass(frozen=True, slots=True)
class TrainState:
    """A run after one of its rounds. The lists are those of the run and keep growing.

    Attributes:
        spent: the spent share of the budget, 0 to 1.
        is_last: whether this is the last report, because the budget is spent or the run was told to
            stop.
        log: the rounds so far, oldest first, as in `log.jsonl`: `round`, `steps`, `games`,
            `seconds`, the losses (None in a round without learning), `policy_lag` (rounds learned
            between the weights that played and those of the round, 0 without an executor),
            `games_per_second`, `steps_per_second` and, in rounds with a measurement, `scores`. On
            many boards also `grades`, None in rounds without one.
        curve: the measurements so far, oldest first: `rounds`, `steps`, `games`, `seconds` and
            `scores`, which maps opponents to `score`, `low` and `high`, each 0 to 1. On many boards
            also `grades`, which maps `seen` and, if boards are held out, `unseen` to `boards` and
            `positions`, how many there were, the share `optimal` with its interval `low` to `high`,
            the share `kept` of decisive positions, and `regret` in points; None where unknown.
    """

    spent: float
    is_last: bool
    log: Sequence[dict[str, Any]]
    curve: Sequence[dict[str, Any]]


OnReport = Callable[[TrainState], None]
"""A function that is called after every round."""
