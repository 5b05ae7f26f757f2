"""95 % intervals of what matches and grades measure."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

__all__ = ["NORMAL_QUANTILE", "mean_interval", "score_interval", "share_interval"]

NORMAL_QUANTILE = 1.959964
"""Of a standard normal number, 95 % lie within this distance of 0."""


def score_interval(pair_scores: NDArray[np.float64]) -> tuple[float, float]:
    """Return the 95 % interval of a score from the scores of pairs of games, each 0 to 1.

    The two games of an opening are not independent, so the spread is that of pairs. One won and
    one lost pair are imagined in addition. That is the "two successes and two failures" of Agresti
    & Coull ("Approximate is better than exact", The American Statistician 52, 1998), counted in
    games: with it the normal approximation holds for few games, and a score of 100 % gets an
    interval of sensible width.
    """
    scores = np.concatenate([pair_scores, [0.0, 1.0]])
    center = float(scores.mean())
    half_width = NORMAL_QUANTILE * float(scores.std()) / math.sqrt(len(scores))
    return max(0.0, center - half_width), min(1.0, center + half_width)


def share_interval(hits: NDArray[np.bool_]) -> tuple[float, float]:
    """Return the 95 % interval of a share (Wilson, JASA 22, 1927); NaN of nothing."""
    count = len(hits)
    if not count:
        return math.nan, math.nan
    share, z2 = float(hits.mean()), NORMAL_QUANTILE**2
    center = (share + z2 / (2 * count)) / (1 + z2 / count)
    spread = math.sqrt(share * (1 - share) / count + z2 / (4 * count**2))
    half_width = NORMAL_QUANTILE * spread / (1 + z2 / count)
    return max(0.0, center - half_width), min(1.0, center + half_width)


def mean_interval(values: NDArray[np.int64]) -> tuple[float, float]:
    """Return the 95 % interval of a mean, by the normal approximation; NaN of one value."""
    mean = float(values.mean())
    deviation = float(values.std(ddof=1)) if len(values) > 1 else math.nan
    half_width = NORMAL_QUANTILE * deviation / math.sqrt(len(values))
    return mean - half_width, mean + half_width
