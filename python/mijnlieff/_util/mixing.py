"""Numbers that look random, made from consecutive numbers."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["mix"]


def mix(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return numbers that look random, uint64; different ones stay different.

    This is the output function of SplitMix64, after adding its constant.
    """
    mixed = numbers + np.uint64(0x9E3779B97F4A7C15)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return mixed ^ (mixed >> np.uint64(31))
