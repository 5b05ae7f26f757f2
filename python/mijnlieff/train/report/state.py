"""How a run stands, for whoever watches it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

__all__ = ["OnReport", "TrainState"]


@dataclass(frozen=True, slots=True)
class TrainState:
    """A run after one of its rounds. Lists are the run's own, which go on growing.

    Attributes:
        spent: share of the budget that is spent, 0 to 1.
        is_last: no further report follows: the budget is spent, or the run was told to stop.
        log: the rounds so far, oldest first, as in `log.jsonl`: `round`, `steps`, `games`,
            `seconds`, the losses (None where nothing was learnt), `games_per_second`,
            `steps_per_second` and, where the run was measured, `scores`.
        curve: the measurements so far, oldest first: `rounds`, `steps`, `games`, `seconds` and
            `scores`, which maps opponents to `score`, `low` and `high`, each 0 to 1.
    """

    spent: float
    is_last: bool
    log: Sequence[dict[str, Any]]
    curve: Sequence[dict[str, Any]]


OnReport = Callable[[TrainState], None]
"""What is called after every round."""
