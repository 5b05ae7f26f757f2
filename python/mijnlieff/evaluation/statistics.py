"""95 % intervals for matches and grades, and ratings of players on the Elo scale.

The rating model is that of Zermelo (Mathematische Zeitschrift 29, 1929) and of Bradley &
Terry (Biometrika 39, 1952): a player wins a game with probability ``1 / (1 + exp(b - a))``, where
``a`` and ``b`` are the strengths of the two. 400 points of Elo are a factor of 10 in the odds.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "ELO_SCALE",
    "NORMAL_QUANTILE",
    "Ratings",
    "elo_difference",
    "fit_ratings",
    "mean_interval",
    "mean_over_boards",
    "point_groups",
    "score_interval",
    "share_interval",
]

NORMAL_QUANTILE = 1.9599639845400536
"""A standard normal number is within this distance of 0 with probability 95 %.

It is ``statistics.NormalDist().inv_cdf(0.975)``, without the import of `statistics`.
"""
ELO_SCALE = 400 / math.log(10)
"""Elo points for a factor e in the odds."""
_SMALL_STEP = 1e-6
"""Newton's method stops at a step this small; the remaining error is about its square."""


def score_interval(pair_scores: NDArray[np.float64]) -> tuple[float, float]:
    """Return the 95 % interval of a score from the scores of pairs of games, each 0 to 1.

    The two games of an opening are not independent, so the variance is that of pairs. One won and
    one lost pair are added, which is the "two successes and two failures" of Agresti & Coull
    ("Approximate is better than exact", The American Statistician 52, 1998), counted in games.
    With them the normal approximation holds for few games, and a score of 100 % gets an interval
    of reasonable width.
    """
    scores = np.concatenate([pair_scores, [0.0, 1.0]])
    center = float(scores.mean())
    half_width = NORMAL_QUANTILE * float(scores.std()) / math.sqrt(len(scores))
    return max(0.0, center - half_width), min(1.0, center + half_width)


def share_interval(hits: NDArray[np.bool_]) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson, JASA 22, 1927); NaN without values."""
    count = len(hits)
    if not count:
        return math.nan, math.nan
    share, z2 = float(hits.mean()), NORMAL_QUANTILE**2
    center = (share + z2 / (2 * count)) / (1 + z2 / count)
    spread = math.sqrt(share * (1 - share) / count + z2 / (4 * count**2))
    half_width = NORMAL_QUANTILE * spread / (1 + z2 / count)
    return max(0.0, center - half_width), min(1.0, center + half_width)


def mean_interval(values: NDArray[np.int64]) -> tuple[float, float]:
    """Return the 95 % interval of a mean, by the normal approximation; NaN for one value."""
    mean = float(values.mean())
    deviation = float(values.std(ddof=1)) if len(values) > 1 else math.nan
    half_width = NORMAL_QUANTILE * deviation / math.sqrt(len(values))
    return mean - half_width, mean + half_width


def mean_over_boards(
    boards: NDArray[np.int64], values: NDArray[np.float64]
) -> tuple[float, float, float]:
    """Return the mean of the boards' means, and its 95 % interval over boards.

    The interval is for boards like these: it treats the mean of each board as one draw (Student's
    t), so it is wider than one for the same positions of the same boards.

    Args:
        boards: ``(B,)``, the board of each value.
        values: ``(B,)``.

    Returns:
        The mean and both ends; NaN for no values, and NaN ends for fewer than 4 boards.
    """
    means = np.array([values[boards == board].mean() for board in np.unique(boards)])
    if not len(means):
        return math.nan, math.nan, math.nan
    mean, freedom = float(means.mean()), len(means) - 1
    if freedom < 3:
        return mean, math.nan, math.nan
    half = _student_quantile(freedom) * float(means.std(ddof=1)) / math.sqrt(len(means))
    return mean, mean - half, mean + half


def _student_quantile(freedom: int) -> float:
    """Return the 97.5 % quantile of Student's t, within 1 % from 3 degrees of freedom on.

    The expansion is that of Abramowitz & Stegun (26.7.5).
    """
    z: float = NORMAL_QUANTILE
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return float(sum(term / freedom**power for power, term in enumerate(terms)))


def elo_difference(score: float) -> float:
    """Return the difference of Elo ratings that predicts a score; infinite for 0 and 1."""
    if score <= 0:
        return -math.inf
    if score >= 1:
        return math.inf
    return ELO_SCALE * math.log(score / (1 - score))


@dataclass(frozen=True, eq=False)  # arrays cannot be compared as a whole
class Ratings:
    """Ratings of players.

    Attributes:
        elo: float64 ``(players,)``, mean 0.
        errors: float64 ``(players,)``, the standard error of each, from the Fisher information.
    """

    elo: NDArray[np.float64]
    errors: NDArray[np.float64]


def fit_ratings(points: NDArray[np.float64]) -> Ratings:
    """Return the maximum-likelihood ratings.

    A draw counts as half a win and half a loss. The log-likelihood is concave, so Newton's method
    finds its maximum; a step that would lower it is halved. The standard errors assume independent
    games without draws. Draws, and the two games of an opening that favors one seat, reduce the
    variance, so the errors are rather too large.

    Args:
        points: ``(players, players)``, the points of the row's player against the column's player.

    Raises:
        ValueError: `point_groups` finds more than one group, so the likelihood has no finite
            maximum.
    """
    if len(point_groups(points)) > 1:
        raise ValueError(
            "a group of players lost no point to the others, so no finite ratings exist"
        )
    games = points + points.T
    strengths = np.zeros(len(points))
    step = np.full(len(points), math.inf)
    while np.abs(step).max() > _SMALL_STEP:
        covariance = _covariance(games, strengths)
        step = covariance @ (points - games * _expected_scores(strengths)).sum(axis=1)
        before = _log_likelihood(points, strengths)
        # A loss this small is a rounding error.
        while _log_likelihood(points, strengths + step) < before - 1e-9 * abs(before):
            step /= 2
        strengths = strengths + step
    errors = np.sqrt(np.diag(_covariance(games, strengths)))
    return Ratings(ELO_SCALE * strengths, ELO_SCALE * errors)


def point_groups(points: NDArray[np.float64]) -> list[list[int]]:
    """Return the players in groups, best first, so that no group lost a point to a later one.

    Maximum-likelihood ratings exist if and only if there is one group (Ford, American Mathematical
    Monthly 64, 1957). Every pair of players must have played.

    Args:
        points: ``(players, players)``, the points of the row's player against the column's player.
    """
    players = range(len(points))
    reaches = (points > 0) | np.eye(len(points), dtype=bool)
    for middle in players:  # Warshall's transitive closure of "won a point against"
        reaches |= np.outer(reaches[:, middle], reaches[middle])
    mutual = reaches & reaches.T
    groups = {tuple(np.flatnonzero(mutual[player]).tolist()) for player in players}
    return sorted(map(list, groups), key=lambda group: -int(reaches[group[0]].sum()))


def _expected_scores(strengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the expected score of every player against every other, ``(players, players)``."""
    half_gaps = (strengths[:, None] - strengths[None, :]) / 2
    scores: NDArray[np.float64] = (1 + np.tanh(half_gaps)) / 2
    return scores


def _covariance(games: NDArray[np.float64], strengths: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return the inverse of the Fisher information for strengths with mean 0."""
    expected = _expected_scores(strengths)
    weights = games * expected * expected.T
    information = np.diag(weights.sum(axis=1)) - weights
    # Only differences matter, so the matrix has no information on a shift of all strengths and is
    # singular. Adding some makes it regular; it is removed again after the inversion.
    shift = np.full_like(weights, 1 / len(weights))
    scale = float(np.trace(information)) / len(weights)
    covariance: NDArray[np.float64] = np.linalg.inv(information + scale * shift) - shift / scale
    return covariance


def _log_likelihood(points: NDArray[np.float64], strengths: NDArray[np.float64]) -> float:
    return -float((points * np.logaddexp(0, strengths[None, :] - strengths[:, None])).sum())
