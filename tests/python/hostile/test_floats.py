"""Every argument that is a real number takes whatever becomes a float except booleans."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from mijnlieff import ChampionPolicy, PerfectPolicy, SearchOptions, SelfPlay, solve, solve_batch
from played import example

LATE = example(12)
OPTIONS = [
    "c_puct",
    "temperature",
    "c_visit",
    "c_scale",
    "dirichlet_alpha",
    "dirichlet_share",
    "margin_weight",
]

# The argument's name in the message, and the call that takes it.
BOUNDED: list[tuple[str, Callable[[Any], object]]] = [
    *((name, lambda value, name=name: SearchOptions(**{name: value})) for name in OPTIONS),
    ("epsilon", lambda value: PerfectPolicy(epsilon=value)),
    (
        "solved_temperature",
        lambda value: SelfPlay(ChampionPolicy(), solved_temperature=value),
    ),
]
TIMES: list[tuple[str, Callable[[Any], object]]] = [
    ("max_seconds", lambda value: solve(LATE, max_seconds=value)),
    ("max_seconds", lambda value: solve_batch([LATE], max_seconds=value)),
]


class Index:
    """A number that is none of Python's."""

    def __index__(self) -> int:
        return 1


@pytest.mark.parametrize(("name", "call"), BOUNDED + TIMES)
def test_every_number(name, call):
    for number in (1, 0.5, np.float32(0.5), np.int8(1), np.array(0.5), Fraction(1, 2), Index()):
        call(number)
    for bad in (True, np.True_, np.array(True), "0.5", 1j, np.complex64(1), [0.5]):
        with pytest.raises(TypeError) as caught:
            call(bad)
        assert str(caught.value) == f"{name} must be a number, not {bad!r}"


@pytest.mark.parametrize("number", [2**1024, -(2**1024), float("inf"), float("nan")])
@pytest.mark.parametrize(("name", "call"), BOUNDED)
def test_numbers_beyond_all_floats(name, call, number):
    with pytest.raises(ValueError, match=f"^{name} must be "):
        call(number)


def test_a_large_integer_is_shown():
    with pytest.raises(ValueError, match=r"^c_puct must be a finite number from 0, not 17976931"):
        SearchOptions(c_puct=2**1024)


@pytest.mark.parametrize(("name", "call"), TIMES)
def test_more_time_than_there_is_means_no_limit(name, call):
    call(2**1024)
    with pytest.raises(ValueError, match=f"^{name} must be 0 or more, not -17976931"):
        call(-(2**1024))


class BrokenFloat:
    def __float__(self) -> float:
        raise ZeroDivisionError


@pytest.mark.parametrize(("name", "call"), BOUNDED + TIMES)
def test_other_errors_pass_through(name, call):
    with pytest.raises(ZeroDivisionError):
        call(BrokenFloat())
