"""Policies asked about very many positions work in bounded memory, part by part."""

from __future__ import annotations

import copy
import sys
from collections.abc import Callable

import numpy as np
import pytest

from mijnlieff import ChampionPolicy, GameOverError, NetworkPolicy, Policy, Position, Variant
from mijnlieff.evaluation import random_openings
from mijnlieff.policies import RolloutPolicy, searches
from played import finished
from processes import run_python

POLICIES: list[Callable[[], Policy]] = [
    lambda: RolloutPolicy(16, seed=5),
    lambda: NetworkPolicy(lambda o, m: (m * 1.0, o[:, 0]), search=8, seed=2**64 - 3),
    lambda: ChampionPolicy(seed=1, search=8),
]


@pytest.mark.parametrize("make", POLICIES)
def test_actions_do_not_depend_on_the_parts(
    make: Callable[[], Policy], monkeypatch: pytest.MonkeyPatch
) -> None:
    positions = random_openings(23, 3) + random_openings(10, 9)
    whole, again = make(), make()
    expected = [whole.act_batch(positions), whole.act_batch(positions)]
    sizes = []
    search = searches.TreeSearch
    monkeypatch.setattr(
        searches,
        "TreeSearch",
        lambda part, *args, **more: sizes.append(len(part)) or search(part, *args, **more),
    )
    monkeypatch.setattr(searches, "_EDGES_AT_ONCE", 5 * 65 * (again.search.num_simulations + 16))
    for actions in expected:
        np.testing.assert_array_equal(again.act_batch(positions), actions)
    assert sizes == [5, 5, 5, 5, 5, 5, 3] * 2


def test_a_single_search_may_exceed_the_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(searches, "_EDGES_AT_ONCE", 1)
    positions = random_openings(3, 3)
    chosen = RolloutPolicy(4).act_batch(positions)
    monkeypatch.undo()
    np.testing.assert_array_equal(chosen, RolloutPolicy(4).act_batch(positions))


@pytest.mark.parametrize(
    ("last", "error", "message"),
    [
        (finished(), GameOverError, "position 4: the game is over"),
        (Position(Variant(copies=1)), ValueError, "position 4 is of"),
    ],
)
def test_a_bad_position_in_a_later_part_changes_nothing(
    last: Position,
    error: type[Exception],
    message: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(searches, "_EDGES_AT_ONCE", 1)
    positions = random_openings(4, 3)
    policies = [make() for make in POLICIES]
    if error is ValueError:
        del policies[0]  # searches with random games take positions of several variants
    policies.append(NetworkPolicy(lambda o, m: m * 1.0, temperature=1.0, batch_size=1))
    for policy in policies:
        expected = copy.deepcopy(policy).act_batch(positions * 3)
        with pytest.raises(error, match=message):
            policy.act_batch([*positions, last])
        np.testing.assert_array_equal(policy.act_batch(positions * 3), expected)


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc and limits the address space")
def test_memory_is_bounded() -> None:
    # Searched at once, these trees would reserve more than 4 GB. Roots with few empty cells are
    # solved, so that the test is quick.
    script = """
import resource
import mijnlieff

policy = mijnlieff.ChampionPolicy(search=256)
positions = mijnlieff.evaluation.random_openings(100, 12)
policy.act_batch(positions)
used = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (used + (1 << 30), used + (1 << 30)))
actions = policy.act_batch(positions * 400)
assert len(actions) == 40_000
"""
    done = run_python(script)
    assert done.returncode == 0, done.stderr
