"""Misuse of the native batch, most of which `VectorEnv` refuses before."""

from __future__ import annotations

import pickle
from collections.abc import Callable
from typing import Any

import pytest

from mijnlieff import Position, VectorEnv
from mijnlieff._mijnlieff import SavedGame

START = Position()


def started() -> Any:
    env = VectorEnv(2)
    env.reset(seed=0)
    env.step(env.sample_actions())
    return env._batch


MISUSES: dict[str, tuple[Callable[[Any], object], str]] = {
    "one seed": (lambda it: it.reset([1], None), "2 games need 2 seeds, not 1"),
    "many seeds": (lambda it: it.reset([1, 2, 3]), "2 games need 2 seeds, not 3"),
    "seeds of a start": (lambda it: it.start_reset([], None, 1), "2 games need 2 seeds, not 0"),
    "a short mask": (lambda it: it.reset(0, [True]), "2 games need 2 entries of the mask, not 1"),
    "a long mask": (
        lambda it: it.reset(None, [True] * 3),
        "2 games need 2 entries of the mask, not 3",
    ),
    "the mask of a start": (
        lambda it: it.start_reset(None, [], 1),
        "2 games need 2 entries of the mask, not 0",
    ),
    "a long mask of positions": (
        lambda it: it.set_positions([START] * 3, [True] * 3),
        "2 games need 2 entries of the mask, not 3",
    ),
    "a short mask of positions": (
        lambda it: it.set_positions([START], [True]),
        "2 games need 2 entries of the mask, not 1",
    ),
    "a short state": (
        lambda it: it.restore((True, it.state()[1][:1])),
        "the state is of 1 games, not of 2",
    ),
    "a state with an unknown seat": (
        lambda it: it.restore((True, [SavedGame(0, START.notation, (1, 2), 2, False, True)] * 2)),
        "the state has seat 2, there are only 0 and 1",
    ),
}


@pytest.mark.parametrize(("misuse", "message"), MISUSES.values(), ids=MISUSES)
def test_a_wrong_length_is_refused_and_changes_nothing(misuse, message):
    batch = started()
    before = pickle.dumps(batch.state())
    with pytest.raises(ValueError, match=f"^{message}$"):
        misuse(batch)
    assert pickle.dumps(batch.state()) == before
    batch.step(batch.sample_actions())


def test_without_a_step_under_way_there_is_nothing_to_roll_back():
    batch = started()
    before = pickle.dumps(batch.state())
    assert not batch.roll_back(1)
    assert pickle.dumps(batch.state()) == before
    batch.step(batch.sample_actions())
