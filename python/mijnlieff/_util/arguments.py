"""Checks of arguments."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from numbers import Integral, Real
from pathlib import Path

from mijnlieff._mijnlieff import integer, integer_in, seed_of, threads_of

__all__ = [
    "check_choice",
    "check_type",
    "integer",
    "integer_from",
    "integer_in",
    "number_from_zero",
    "path_of",
    "plain_number",
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


def plain_number(value: object, *, whole: bool) -> int | float | None:
    """Return the Python number that is equal to a number, such as one of NumPy.

    Args:
        value: any object.
        whole: whether only integers count.

    Returns:
        An `int` for integers and a `float` for other numbers; None for anything else, and for
        booleans.
    """
    if isinstance(value, bool):
        return None
    if isinstance(value, Integral):
        return int(value)
    return float(value) if isinstance(value, Real) and not whole else None


def number_from_zero(name: str, value: object, *, without_zero: bool = False) -> float:
    """Return a finite number of at least 0.

    Args:
        name: the name of the argument.
        value: what was given.
        without_zero: whether it must be above 0.

    Raises:
        ValueError: it is out of range.
        TypeError: it is not a number.
    """
    number = plain_number(value, whole=False)
    if number is None:
        raise TypeError(f"{name} must be a number, not {value!r}")
    # NaN fails every comparison.
    if not 0 <= number <= sys.float_info.max or (without_zero and not number):
        wanted = "above 0" if without_zero else "of at least 0"
        raise ValueError(f"{name} must be a finite number {wanted}, not {value!r}")
    return float(number)


def path_of(name: str, value: object) -> Path:
    """Return a path.

    Args:
        name: the name of the argument.
        value: what was given.

    Raises:
        TypeError: it is neither a text nor an `os.PathLike` object.
        ValueError: it has a null character, which no system allows.
    """
    if not isinstance(value, str | os.PathLike):
        raise TypeError(f"{name} must be a path, not {value!r}")
    text = os.fsdecode(value)
    if "\0" in text:
        raise ValueError(f"{name} must be a path without null characters, not {text!r}")
    return Path(text)
