"""Bounds for samples that follow from the number of draws, so that other seeds pass as well."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

ERRORS = 4
"""Standard errors that a sample may be off: one in sixteen thousand is farther."""


def assert_shares(counts: NDArray[np.int64], probabilities: NDArray[np.float64]) -> None:
    """Assert that independent draws came as often as their probabilities say."""
    draws = counts.sum()
    errors = np.sqrt(probabilities * (1 - probabilities) / draws)
    # What is impossible never comes, but a probability may be a rounding error above 0.
    assert (np.abs(counts / draws - probabilities) <= ERRORS * errors + 1e-6).all()


def assert_alike(draws: NDArray[np.float64], others: NDArray[np.float64]) -> None:
    """Assert that the means of as many independent draws of two kinds are alike."""
    error = math.hypot(draws.std(), others.std()) / math.sqrt(len(draws))
    assert abs(draws.mean() - others.mean()) < ERRORS * error
