"""Matches of a policy on several boards."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from mijnlieff._mijnlieff import Variant
from mijnlieff.evaluation.match import evaluate
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
    variants: Sequence[Variant], policy: Policy, opponents: Sequence[str], games: int, seed: int
) -> dict[str, BoardScore]:
    """Return scores against each opponent on every board, both seats of each random opening.

    Args:
        variants: the boards, at least one.
        policy: the policy.
        opponents: names of built-in policies.
        games: against each opponent on all boards together; rounded up to as many on each board, an
            even number.
        seed: of openings and opponents.

    Returns:
        By opponent, in their order.
    """
    on_each = 2 * -(-games // (2 * len(variants)))
    scores = {}
    for opponent in opponents:
        matches = [
            evaluate(policy, opponent, on_each, variant, seed=seed + number)
            for number, variant in enumerate(variants)
        ]
        shares = np.array([match.score for match in matches])
        mean, low, high = mean_over_boards(np.arange(len(shares)), shares)
        if np.isnan(low):
            low, high = _mean_interval([match.score_interval for match in matches])
        scores[opponent] = BoardScore(on_each * len(variants), mean, max(0.0, low), min(1.0, high))
    return scores


def _mean_interval(intervals: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """Return the interval of the mean of independent numbers with these intervals."""
    ends = np.array(intervals)
    mean = float(ends.mean())
    reach = math.hypot(*(ends[:, 1] - ends[:, 0]) / 2) / len(ends)
    return mean - reach, mean + reach
