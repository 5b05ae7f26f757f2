"""Tests that work on an executor has the results of one process, for every kind of executor."""

from __future__ import annotations

import numpy as np
import pytest

from mijnlieff import Board, ChampionPolicy, Variant, evaluate, grade, solve_batch, tournament
from mijnlieff.evaluation import random_openings


class SameResults:
    """To be inherited by a class of tests; the fixture ``executor`` gives the executor."""

    def test_solutions(self, executor):
        positions = [it for plies in (8, 9) for it in random_openings(300, plies, None, 5)]
        ours, theirs = solve_batch(positions, executor=executor), solve_batch(positions)
        for name in ("margins", "action_margins", "action_mask"):
            np.testing.assert_array_equal(getattr(ours, name), getattr(theirs, name))

    @pytest.mark.parametrize("policy", ["random", "champion"])
    def test_grades_of_a_benchmark(self, policy, executor):
        there = grade(policy, "standard-v1", executor=executor)
        assert there.to_dict() == grade(policy, "standard-v1").to_dict()

    def test_grades_of_drawn_positions(self, executor):
        variant = Variant(Board.from_text("###\n###"), "anywhere", 2)
        # More than 1,024 from each source, so that each has two parts.
        options = {"positions": 3200, "seed": 3, "variant": variant}
        there = grade("greedy", **options, executor=executor)
        # As text, because shares of no positions are NaN.
        assert str(there.to_dict()) == str(grade("greedy", **options).to_dict())

    @pytest.mark.parametrize("opponent", ["random", "champion"])
    def test_matches(self, opponent, executor):
        options = {"games": 2600 if opponent == "random" else 100, "seed": 4}
        there = evaluate("greedy", opponent, **options, executor=executor)
        assert there.to_dict() == evaluate("greedy", opponent, **options).to_dict()

    def test_tournaments(self, executor):
        # The policy with random games counts its decisions, in each match from 0.
        policies = {"a": "random", "b": "greedy", "c": ChampionPolicy(), "d": "rollouts:8"}
        there = tournament(policies, 60, seed=2, executor=executor)
        assert there.to_dict() == tournament(policies, 60, seed=2).to_dict()
