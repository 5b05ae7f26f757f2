"""The place of a player among the built-in ones, whose ratings are known.

The figures are those of ``docs/results/baselines``. The ratings are from a tournament of the
built-in players on the standard board.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from mijnlieff.evaluation.match_report import MatchReport
from mijnlieff.evaluation.statistics import ELO_SCALE, NORMAL_QUANTILE

__all__ = ["LADDER", "OPTIMAL_SHARES", "fit_rating", "rating_of", "strongest_below"]

LADDER = {
    "random": -706,
    "greedy": -581,
    "minimax:1": -577,
    "minimax:2": -413,
    "minimax:3": -337,
    "minimax:4": -235,
    "rollouts:64": -216,
    "minimax:5": -188,
    "minimax:6": -101,
    "rollouts:256": -73,
    "rollouts:1024": 78,
    "champion": 250,
    "perfect": 394,
    "champion:64": 439,
}
"""Ratings of built-in players in Elo points, weakest first; the solver helps ``champion:64``."""

OPTIMAL_SHARES = {
    "random": 0.407,
    "greedy": 0.474,
    "minimax:2": 0.576,
    "minimax:4": 0.702,
    "minimax:6": 0.783,
    "champion": 0.887,
    "champion:64 + solver": 0.993,
}
"""Shares of optimal moves on ``standard-v1``, which tell whether that of another player is good."""

_FARTHEST = 4000.0


def rating_of(matches: Iterable[MatchReport]) -> tuple[float, float] | None:
    """Return the most likely rating of a player, and the reach of its 95 % interval.

    Args:
        matches: matches of the player against players of `LADDER`, all of the same length.

    Returns:
        Both in Elo points; None if it won or lost every game, or played none against them, so that
        no rating is most likely.
    """
    known = [match for match in matches if match.opponent in LADDER]
    if not known:
        return None
    try:
        elo, error = fit_rating(
            [match.score for match in known],
            [LADDER[match.opponent] for match in known],
            known[0].games,
        )
    except ValueError:
        return None
    return elo, NORMAL_QUANTILE * error


def strongest_below(elo: float) -> str | None:
    """Return the strongest built-in player with at most this rating; None if there is none."""
    return next((name for name, rating in reversed(LADDER.items()) if rating <= elo), None)


def fit_rating(
    scores: Sequence[float], ratings: Sequence[float], games: int
) -> tuple[float, float]:
    """Return the most likely rating of a player and its standard error, in Elo points.

    The model and the error are those of `mijnlieff.tournament`. The expected score rises with the
    rating, so halving an interval finds where it is the score that was reached.

    Args:
        scores: the mean score of each match, 0 to 1.
        ratings: the rating of each opponent.
        games: games of each match.

    Raises:
        ValueError: all scores are 0 or all are 1.
    """
    total = math.fsum(scores)
    if total in (0, len(scores)):
        raise ValueError(f"a score of {total:g} in {len(scores)} matches fits no finite rating")

    def expected(elo: float) -> list[float]:
        return [1 / (1 + math.exp((other - elo) / ELO_SCALE)) for other in ratings]

    low, high = min(ratings) - _FARTHEST, max(ratings) + _FARTHEST
    while high - low > 1e-6:
        middle = (low + high) / 2
        low, high = (middle, high) if math.fsum(expected(middle)) < total else (low, middle)
    information = games * math.fsum(share * (1 - share) for share in expected(low))
    return low, ELO_SCALE / math.sqrt(information)
