"""Checks of arguments."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from numbers import Real

import numpy as np

from mijnlieff._mijnlieff import integer, integer_in, seed_of, threads_of

__all__ = [
    "check_choice",
    "check_type",
    "integer",
    "integer_from",
    "integer_in",
    "number_up_to",
    "seed_of",
    "threads_of",
]


def check_choice(name: str, value: object, choices: Iterable[str | None]) -> None:
    """Raise unless an argument is one of these choices.

    Raises:
        ValueError: it is not; the message lists the choices.
    """
    allowed = list(choices)
    if value not in allowed:
        names = ", ".join(map(str, allowed))
        raise ValueError(f"unknown {name} {value!r}; choose one of {names}")


def check_type(name: str, value: object, kind: type) -> None:
    """Raise unless an argument has this type.

    Raises:
        TypeError: it has another.
    """
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be a {kind.__name__}, not {value!r}")


def integer_from(name: str, value: object, low: int) -> int:
    """Return an integer that is not too small; of one above `sys.maxsize`, that.

    Args:
        name: the name of the argument.
        value: what was given.
        low: the smallest integer.

    Raises:
        ValueError: it is smaller.
        TypeError: it is not an integer.
    """
    number = integer(name, value)
    if number < low:
        raise ValueError(f"{name} must be at least {low}, not {number}")
    return min(number, sys.maxsize)


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
