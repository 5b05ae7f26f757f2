"""Intervals and ratings, compared with published values and with their definitions."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np
import pytest

from mijnlieff.evaluation.statistics import (
    NORMAL_QUANTILE,
    elo_difference,
    fit_ratings,
    mean_interval,
    mean_over_boards,
    score_interval,
    share_interval,
)


@pytest.mark.parametrize(
    ("hits", "count", "low", "high"),
    [
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_shares_have_the_published_intervals(hits, count, low, high):
    """Those of Newcombe, Statistics in Medicine 17, 1998, table I, method 3."""
    found = share_interval(np.arange(count) < hits)
    assert found == pytest.approx((low, high), abs=5e-5)
    opposite = share_interval(np.arange(count) >= hits)
    assert opposite == pytest.approx((1 - high, 1 - low), abs=5e-5)


def test_intervals_of_shares_stay_between_0_and_1():
    for count in range(1, 100):
        low, high = share_interval(np.ones(count, dtype=bool))
        assert 0 < low < high <= 1
        low, high = share_interval(np.zeros(count, dtype=bool))
        assert 0 <= low < high < 1
    assert np.isnan(share_interval(np.zeros(0, dtype=bool))).all()


def test_the_quantile_is_that_of_the_standard_library():
    assert NORMAL_QUANTILE == NormalDist().inv_cdf(0.975)


def test_a_mean_has_the_normal_interval():
    # The squares of the distances from 3 add up to 26, so the variance is 26 / 3.
    half = 1.959964 * math.sqrt(26 / 3 / 4)
    assert mean_interval(np.array([0, 2, 3, 7])) == pytest.approx((3 - half, 3 + half), abs=1e-5)
    assert mean_interval(np.array([1, 3])) == pytest.approx((2 - 1.96, 2 + 1.96), abs=1e-4)
    assert np.isnan(mean_interval(np.array([5]))).all()


def test_a_score_has_the_interval_of_two_more_pairs():
    # With a lost and a won pair, the four scores have the mean 5/8 and the variance 11/64.
    half = 1.959964 * math.sqrt(11 / 64 / 4)
    low, high = score_interval(np.array([0.5, 1.0]))
    assert (low, high) == pytest.approx((5 / 8 - half, 1), abs=1e-6)
    low, high = score_interval(np.array([0.0, 0.5]))
    assert (low, high) == pytest.approx((0, 3 / 8 + half), abs=1e-6)
    low, high = score_interval(np.full(6, 0.5))
    half = 1.959964 * math.sqrt(1 / 16 / 8)
    assert (low, high) == pytest.approx((0.5 - half, 0.5 + half), abs=1e-6)


@pytest.mark.parametrize(
    ("freedom", "quantile"),
    [(3, 3.182446305), (4, 2.776445105), (10, 2.228138852), (30, 2.042272456)],
)
def test_boards_have_the_interval_of_student(freedom, quantile):
    """The expansion leaves out the terms after the fourth; the fifth is nearly all of its error."""
    boards = np.arange(freedom + 1)
    values = np.sin(boards)
    mean, low, high = mean_over_boards(boards, values)
    error = values.std(ddof=1) / math.sqrt(len(boards))
    found = (high - low) / 2 / error
    assert mean == pytest.approx(values.mean()) and mean - low == pytest.approx(high - mean)
    assert found == pytest.approx(quantile, rel=0.01)
    z = NORMAL_QUANTILE
    fifth = (79 * z**9 + 776 * z**7 + 1482 * z**5 - 1920 * z**3 - 945 * z) / 92160
    assert found + fifth / freedom**4 == pytest.approx(quantile, abs=1.1 / freedom**5)


def test_boards_with_more_positions_have_no_more_weight():
    boards = np.array([0, 0, 0, 0, 0, 1, 2, 3])
    values = np.array([0.0, 0.5, 0.0, 0.5, 0.0, 0.4, 0.4, 0.6])
    mean, low, high = mean_over_boards(boards, values)
    assert mean == pytest.approx((0.2 + 0.4 + 0.4 + 0.6) / 4) and low < mean < high


def test_elo_differences_are_odds():
    assert elo_difference(0.75) == pytest.approx(400 * math.log10(3))
    assert elo_difference(0.25) == pytest.approx(-400 * math.log10(3))
    assert elo_difference(100 / 101) == pytest.approx(800)


def test_errors_of_ratings_are_those_of_the_likelihood():
    """The inverse of the information about the first players' ratings, the last one's being 0."""
    points = np.array([[0, 30, 45.5], [20, 0, 28], [4.5, 22, 0]])
    ratings = fit_ratings(points)
    expected = 1 / (1 + 10 ** ((ratings.elo[None, :] - ratings.elo[:, None]) / 400))
    weights = (points + points.T) * expected * (1 - expected)
    information = (np.diag(weights.sum(axis=1)) - weights)[:2, :2]
    from_last = np.linalg.inv(information)
    centered = np.array([[2, -1], [-1, 2], [-1, -1]]) / 3
    errors = np.sqrt(np.diag(centered @ from_last @ centered.T))
    np.testing.assert_allclose(ratings.errors, errors * 400 / math.log(10))


def test_ratings_are_found_where_whole_steps_go_too_far():
    """Newton's method without shorter steps leaves the likelihood's maximum here."""
    points = np.array(
        [[0, 1, 0.5, 0.5], [61e3, 0, 0.5, 95e4], [47, 0.5, 0, 300], [0.5, 0.5, 86e3, 0]]
    )
    elo = fit_ratings(points).elo
    expected = 1 / (1 + 10 ** ((elo[None, :] - elo[:, None]) / 400))
    # At the maximum, the expected points are those that were made.
    made = points.sum(axis=1)
    np.testing.assert_allclose(((points + points.T) * expected).sum(axis=1), made, rtol=1e-6)
