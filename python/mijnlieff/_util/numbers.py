"""Arguments that are real numbers of a range."""

from __future__ import annotations

import math
from numbers import Real

import numpy as np

__all__ = ["number_up_to"]


def number_up_to(name: str, value: object, most: float = math.inf) -> float:
    """Return a finite number from 0 to `most`.

    Args:
        name: the name of the argument.
        value: what was given.
        most: the largest number; infinity if there is none.

    Raises:
        ValueError: it is out of range.
        TypeError: it is not a number.
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, Real):
        raise TypeError(f"{name} must be a number, not {value!r}")
    number = float(value)
    if not (0 <= number <= most and math.isfinite(number)):
        wanted = "a finite number of at least 0" if math.isinf(most) else f"from 0 to {most:g}"
        raise ValueError(f"{name} must be {wanted}, not {value!r}")
    return number
