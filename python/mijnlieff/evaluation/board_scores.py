"""Matches of a policy on several boards."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import asdict, dataclass
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import Variant
from mijnlieff.evaluation.match import Conditions, play_all
from mijnlieff.evaluation.statistics import mean_over_boards
from mijnlieff.policies.base import Policy

__all__ = ["BoardScore", "scores_on"]


@dataclass(frozen=True)
class BoardScore:
    """A policy's score against an opponent; every board has the same weight.

    Attributes:
        games: games on all boards.
        score: wins and half of the draws, as a share of the games.
        low: lower end of its 95 % interval over boards, or over pairs of games if there are fewer
            than 4 boards.
        high: upper end.
    """

    games: int
    score: float
    low: float
    high: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain values."""
        return asdict(self)


def scores_on(
    variants: Sequence[Variant],
    policy: Policy,
    opponents: Sequence[str],
    games: int,
    seed: int,
    *,
    progress: bool = False,
    executor: Executor | None = None,
) -> dict[str, BoardScore]:
    """Return scores against each opponent on every board, both seats of each random opening.

    Args:
        variants: the boards, at least one.
        policy: the policy.
        opponents: names of built-in policies.
        games: against each opponent on all boards together; rounded up to as many on each board, an
            even number.
        seed: of openings and opponents.
        progress: show a bar.
        executor: where the matches are played; this process unless given.

    Returns:
        By opponent, in their order.
    """
    on_each = 2 * -(-games // (2 * len(variants)))
    matches = [
        (opponent, Conditions.checked(on_each, variant, seed=seed + number))
        for opponent in opponents
        for number, variant in enumerate(variants)
    ]
    reports = iter(play_all(policy, matches, progress=progress, executor=executor))
    scores = {}
    for opponent in opponents:
        played = list(islice(reports, len(variants)))
        shares = np.array([match.score for match in played])
        mean, low, high = mean_over_boards(np.arange(len(shares)), shares)
        if np.isnan(low):
            low, high = _interval_of_mean(shares, np.array([one.score_interval for one in played]))
        scores[opponent] = BoardScore(on_each * len(variants), mean, max(0.0, low), min(1.0, high))
    return scores


def _interval_of_mean(
    estimates: NDArray[np.float64], intervals: NDArray[np.float64]
) -> tuple[float, float]:
    """Return the interval of the mean of independent estimates, which has the mean in it.

    The distances from the estimates to the ends of their intervals are added as errors are. That of
    a score of 1 is on one side alone.

    Args:
        estimates: ``(B,)``.
        intervals: ``(B, 2)``, the lower and the upper end of each.
    """
    below, above = np.linalg.norm(intervals.T - estimates, axis=1) / len(estimates)
    mean = float(estimates.mean())
    return mean - float(below), mean + float(above)
