"""Positions drawn for grades: how many, from which games, and that a seed stands for them."""

from __future__ import annotations

import numpy as np
import pytest

from mijnlieff import Board, MinimaxPolicy, Position, RandomPolicy, Variant, solve_batch
from mijnlieff.evaluation import ActionLosses, decisions, random_openings
from mijnlieff.evaluation.canonical import canonical_keys
from mijnlieff.evaluation.decisions import Decisions, solvable_decisions
from mijnlieff.evaluation.grading import GradePart, GradePlan

SMALL = Variant(Board.from_text("###\n###"), copies=1)
LARGE = Variant(Board.from_text("#####\n" * 5))


def plies(positions: list[Position]) -> list[int]:
    return [position.ply for position in positions]


def empty_cells(positions: list[Position]) -> list[int]:
    return [int((position.stones == 0).sum()) for position in positions]


def test_a_seed_stands_for_the_same_positions():
    twice = Decisions(RandomPolicy(1), (1, 2))
    first, second = twice.draw(20), twice.draw(20)
    assert plies(first) == [8, 6, 5, 10, 13, 8, 13, 11, 6, 12, 5, 13, 8, 10, 9, 9, 13, 12, 8, 11]
    assert plies(second) == [5, 10, 2, 7, 7, 7, 4, 5, 5, 12, 9, 9, 8, 10, 8, 9, 10, 6, 8, 13]
    assert twice.repeats == 4
    part = Decisions(MinimaxPolicy(2, 1), (1, 2), SMALL, share=(1, 3))
    drawn = [4, 1, 5, 3, 4, 4, 5, 4, 5, 5, 6, 5, 7, 7, 7, 5, 2, 5, 4, 3, 5, 5, 5, 5, 7, 7, 5, 5]
    assert plies(part.draw(30)) == [*drawn, 7, 7] and part.repeats == 14


@pytest.mark.parametrize(
    ("rows", "found", "repeats"),
    [
        ("##/##", {5: 3, 60: 58, 1000: 68}, {5: 8, 60: 430, 1000: 9256}),
        ("##../..##", {5: 3, 60: 57, 1000: 160}, {5: 11, 60: 121, 1000: 15932}),
        ("###", {5: 4, 60: 35, 1000: 35}, {5: 17, 60: 906, 1000: 9343}),
    ],
)
def test_small_boards_have_no_more_positions(rows, found, repeats):
    variant = Variant(Board.from_text(rows), copies=1)
    for count in found:
        drawn = Decisions(RandomPolicy(), (3,), variant)
        assert (len(drawn.draw(count)), drawn.repeats) == (found[count], repeats[count])


@pytest.mark.parametrize(
    ("rows", "drawn"),
    [
        ("##/##", ([4], [5], [5])),
        ("##../..##", ([4], [5, 5], [4, 5])),
        ("###", ([3], [3, 4], [2, 3, 4])),
        ("##", ([1], [2], [2])),
    ],
)
def test_long_openings_of_small_boards_are_given_up(rows, drawn):
    """A few games have only those at first, and they leave no choice."""
    variant = Variant(Board.from_text(rows), copies=1)
    for count, expected in enumerate(drawn, 1):
        assert plies(Decisions(RandomPolicy(), (3,), variant).draw(count)) == expected


def test_a_whole_is_one_share():
    whole, share = Decisions(RandomPolicy(), (5,)), Decisions(RandomPolicy(), (5,), share=(0, 1))
    assert canonical_keys(whole.draw(30)) == canonical_keys(share.draw(30))


def test_games_start_after_0_to_7_random_plies(monkeypatch):
    lengths = []

    def openings(count, plies, variant, seed):
        lengths.append(plies)
        return random_openings(count, plies, variant, seed)

    monkeypatch.setattr(decisions, "random_openings", openings)
    sample = Decisions(RandomPolicy(), (1,)).draw(400)
    assert set(lengths) == set(range(8))
    # Two actions are a decision already.
    assert min(len(position.legal_actions()) for position in sample) == 2


@pytest.mark.parametrize(
    ("variant", "seed", "most", "of_minimax"),
    # On the large board, four rounds of games give fewer than were asked for.
    [(Variant(), 3, 14, 150), (LARGE, 0, 12, 141)],
    ids=["standard", "large"],
)
def test_solvable_positions_have_few_empty_cells(variant, seed, most, of_minimax):
    found = solvable_decisions(variant, 301, (seed, 1))
    numbers = {source: len(some) for source, some in found.items()}
    assert numbers == {"random play": 151, "minimax 2": of_minimax}
    for some in found.values():
        assert max(empty_cells(some)) == most
        assert len(set(canonical_keys(some))) == len(some)


@pytest.mark.parametrize("count", [3, 4, 5, 302, 5000, 3 * 1024 + 1])
def test_parts_have_all_positions(count):
    parts = GradePlan.checked("random", count, 0, None, None, None).parts()
    assert sum(part.count for part in parts) == count
    by_source = [[part for part in parts if part.source == source] for source in range(3)]
    shares = [sum(part.count for part in some) for some in by_source]
    assert shares == sorted(shares, reverse=True) and shares[0] - shares[2] <= 1
    for some in by_source:
        assert all(part.count == 1024 for part in some[:-1]) and some[-1].count <= 1024
        assert [part.start for part in some] == [1024 * number for number in range(len(some))]
        assert all(part.chunks == len(some) for part in some)


def test_later_parts_have_their_own_seeds():
    plan = GradePlan.checked("random", 6000, 7, SMALL, None, None)
    losses, keys, repeats = plan.losses(GradePart(2, 1024, 20, 2), None)
    policy = RandomPolicy(7 + 1)
    alone = Decisions(policy, (7, 2, 1), SMALL, share=(1, 2))
    positions = alone.draw(20)
    assert keys == canonical_keys(positions) and repeats == {"own games": alone.repeats}
    expected = ActionLosses.of(
        policy,
        positions,
        solve_batch(positions).action_margins,
        source=np.full(20, "own games"),
        board=np.zeros(20, dtype=np.int64),
    )
    assert losses.regret.tolist() == expected.regret.tolist()
    assert losses.ply.tolist() == expected.ply.tolist() and set(losses.source) == {"own games"}


def test_positions_of_earlier_parts_are_left_out_and_counted():
    def part(source: str, regret: list[int]) -> ActionLosses:
        zeros = np.zeros(len(regret), dtype=np.int64)
        names, points = np.full(len(regret), source), np.array(regret)
        return ActionLosses(names, zeros, zeros, zeros, points, zeros, zeros > 0)

    plan = GradePlan.checked("random", 9, 7, None, "mine", None)
    report = plan.report(
        [
            (part("random play", [1, 2, 3]), [b"a", b"b", b"c"], {"random play": 2}),
            (part("random play", [4, 5]), [b"b", b"d"], {"random play": 10}),
            (ActionLosses.none(), [], {"minimax 2": 4}),
            (part("own games", [6, 7, 8]), [b"d", b"c", b"e"], {"own games": 5}),
        ],
        "position",
    )
    assert {len(values) for values in vars(ActionLosses.none()).values()} == {0}
    assert report.repeats == {"random play": 2 + 10 + 1, "minimax 2": 4, "own games": 5 + 2}
    assert report.total.regret == (1 + 2 + 3 + 5 + 8) / 5
    assert (report.policy, report.seed, report.by) == ("mine", 7, "position")
