"""Integers as arguments: anything with ``__index__``, but no boolean."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

__all__ = ["SEEDS", "integer", "integer_in", "seed_of", "threads_of"]

SEEDS = 2**64
"""How many seeds there are."""
_MAX_THREADS = 1024
"""The most that a call may ask for; a mistyped number would take all memory."""


def integer(name: str, value: Any) -> int:
    """Return the integer that an argument is.

    Args:
        name: of the argument, for the message.
        value: what was given.

    Raises:
        TypeError: no integer, or a boolean, which is nearly always a flag in the wrong place.
    """
    if not isinstance(value, bool | np.bool_):
        try:
            return operator.index(value)
        except TypeError:
            pass
    raise TypeError(f"{name} must be an integer, not {value!r}")


def integer_in(name: str, value: Any, least: int, most: int) -> int:
    """Return the integer that an argument is, if it is ``least`` to ``most``.

    Raises:
        TypeError: as `integer`.
        ValueError: out of that range.
    """
    number = integer(name, value)
    if not least <= number <= most:
        raise ValueError(f"{name} must be {least} to {most}, not {number}")
    return number


def seed_of(seed: Any) -> int:
    """Return a seed, 0 to 2**64 - 1.

    Raises:
        TypeError: as `integer`.
        ValueError: out of that range.
    """
    number = integer("seed", seed)
    if not 0 <= number < SEEDS:
        raise ValueError(f"seed must be 0 to 2**64 - 1, not {number}")
    return number


def threads_of(num_threads: Any) -> int | None:
    """Return a number of threads, 1 to 1024, or None where it is left open.

    Raises:
        TypeError: as `integer`.
        ValueError: out of that range.
    """
    if num_threads is None:
        return None
    return integer_in("num_threads", num_threads, 1, _MAX_THREADS)
