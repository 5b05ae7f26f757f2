"""Grades on positions of many boards, drawn or given, with every board weighted the same."""

from __future__ import annotations

import json
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest

from mijnlieff import Board, Position, Variant, benchmark, grade, solve
from mijnlieff.cli.main import main
from mijnlieff.evaluation import Benchmark
from mijnlieff.evaluation.board_scores import scores_on
from mijnlieff.evaluation.canonical import canonical_keys
from mijnlieff.evaluation.statistics import mean_over_boards
from players import First

VARIANTS = [Variant(board) for board in Board.arrangements(2, corners=True)]
GROUPS = ["seen", "seen", "unseen"]


class Chosen:
    """Plays the best action, or the worst."""

    def __init__(self, best: bool) -> None:
        self.best = best

    def act(self, position: Position) -> int:
        margins = solve(position).action_margins
        return (max if self.best else min)(margins, key=margins.__getitem__)


@pytest.fixture(scope="module")
def drawn() -> Benchmark:
    return Benchmark.draw(VARIANTS, 20, groups=GROUPS)


def test_drawn_positions_are_distinct_decisions_of_all_boards(drawn):
    assert drawn.variants == tuple(VARIANTS) and set(drawn.boards.tolist()) == {0, 1, 2}
    assert (np.diff(drawn.boards) >= 0).all()
    assert set(drawn.sources.tolist()) == {"random play", "minimax 2"}
    for number, variant in enumerate(VARIANTS):
        rows = np.flatnonzero(drawn.boards == number).tolist()
        positions = [drawn.positions[row] for row in rows]
        assert all(position.variant == variant for position in positions)
        assert all(len(position.legal_actions()) > 1 for position in positions)
        for source in ("random play", "minimax 2"):
            of_source = [drawn.positions[row] for row in rows if drawn.sources[row] == source]
            assert len(set(canonical_keys(of_source))) == len(of_source)
    # 20 on each group of boards together, if their games have so many.
    assert (drawn.boards == 2).sum() <= 20 and (drawn.boards < 2).sum() <= 20
    again = Benchmark.draw(VARIANTS, 20, groups=GROUPS)
    assert again.positions == drawn.positions
    assert Benchmark.draw(VARIANTS, 20, 1, groups=GROUPS).positions != drawn.positions


def test_boards_of_a_group_have_equal_numbers_rounded_up():
    frozen = Benchmark.draw(VARIANTS, 5, groups=GROUPS)
    assert np.bincount(frozen.boards).tolist() == [3, 3, 5]
    assert frozen.sources.tolist() == [
        source
        for numbers in ((2, 1), (2, 1), (3, 2))
        for source, number in zip(("random play", "minimax 2"), numbers, strict=True)
        for _ in range(number)
    ]
    assert frozen.groups == tuple(GROUPS)
    assert repr(frozen) == "<Benchmark 3 boards: 11 positions>"
    one_group = Benchmark.draw(VARIANTS, 7)
    assert np.bincount(one_group.boards).tolist() == [3, 3, 3] and one_group.groups == ()


def test_rows_of_small_boards_are_filled_up_with_illegal_actions():
    small, large = (Variant(Board.from_text(rows), copies=1) for rows in ("##\n##", "###\n###"))
    frozen = Benchmark.draw([small, large], 8)
    margins, mask = frozen.solutions.action_margins, frozen.solutions.action_mask
    assert margins.shape == mask.shape == (8, large.num_actions)
    for row, position in enumerate(frozen.positions):
        count = position.variant.num_actions
        assert mask[row, :count].tolist() == position.action_mask().tolist()
        assert not mask[row, count:].any() and (margins[row, count:] == -(2**15)).all()


def test_the_margins_are_those_of_the_solver(drawn):
    for row, position in enumerate(drawn.positions):
        solution = solve(position)
        assert drawn.solutions.margins[row] == solution.margin
        legal = np.flatnonzero(drawn.solutions.action_mask[row]).tolist()
        margins = drawn.solutions.action_margins[row, legal].tolist()
        assert dict(zip(legal, margins, strict=True)) == solution.action_margins
        assert drawn.decisive[row] == (np.sign(min(margins)) < solution.outcome)


def test_grades_of_the_best_and_the_worst_actions(drawn):
    best = grade(Chosen(True), drawn, by="board")
    assert f"{len(drawn)} positions of 3 boards" in str(best)
    assert best.total.regret == 0 and best.total.optimal == best.total.kept == 1
    assert [row.boards for row in best.by_group.values()] == [2, 1]
    worst = grade(Chosen(False), drawn, by="board")
    for number, row in worst.by_board.items():
        solutions = [
            solve(position)
            for position, board in zip(drawn.positions, drawn.boards.tolist(), strict=True)
            if board == number
        ]
        regrets = [one.margin - min(one.action_margins.values()) for one in solutions]
        assert row.positions == len(regrets)
        assert row.regret == pytest.approx(np.mean(regrets))
    means = [row.regret for row in worst.by_board.values()]
    assert worst.total.regret == pytest.approx(np.mean(means))
    assert worst.by_group["seen"].regret == pytest.approx(np.mean(means[:2]))
    assert worst.by_group["unseen"].regret == pytest.approx(means[2])


def test_a_policy_is_asked_about_one_board_at_a_time(drawn):
    policy = First()
    grade(policy, drawn)
    asked = [{position.variant for position in positions} for positions in policy.asked]
    assert asked == [{variant} for variant in VARIANTS]


def test_boards_have_the_same_weight_and_intervals_are_over_boards():
    frozen = benchmark("irregular-v1")
    by_position = grade("greedy", frozen)
    report = grade("greedy", "irregular-v1", by="board")
    assert list(report.by_board) == list(range(8))
    assert [row.positions for row in report.by_board.values()] == [240] * 8
    shares = [row.optimal for row in report.by_board.values()]
    mean, low, high = mean_over_boards(np.arange(8), np.array(shares))
    # All boards have as many positions, so the means agree.
    assert report.total.optimal == pytest.approx(mean) == by_position.total.optimal
    assert report.total.optimal_interval == pytest.approx((low, high))
    assert report.total.boards == by_position.total.boards == 8
    assert by_position.by_board == {} == by_position.by_group
    assert sum(row.positions for row in report.by_ply.values()) == report.total.positions
    assert "every board has the same weight" in str(report) and "board 7" in str(report)
    assert report.to_dict()["by_board"][7]["boards"] == 1
    few = grade("greedy", Benchmark.draw(VARIANTS, 20), by="board")
    assert few.total.boards == 3 and np.isnan(few.total.optimal_interval).all()
    assert "95% interval unknown" in str(few)


def test_intervals_are_over_boards():
    boards = np.repeat(np.arange(5), 100)
    values = np.repeat([0.5, 0.6, 0.7, 0.8, 0.9], 100)
    mean, low, high = mean_over_boards(boards, values)
    half = 2.776445 * np.std([0.5, 0.6, 0.7, 0.8, 0.9], ddof=1) / np.sqrt(5)
    np.testing.assert_allclose([mean, low, high], [0.7, 0.7 - half, 0.7 + half], rtol=0.005)
    few = mean_over_boards(boards[:300], values[:300])
    assert few[0] == pytest.approx(0.6)
    assert np.isnan(few[1:]).all()
    assert np.isnan(mean_over_boards(boards[:0], values[:0])).all()


@pytest.mark.parametrize("policy", ["random", "minimax:1"])
def test_workers_give_the_same_grades(drawn, policy):
    with ThreadPoolExecutor(2) as executor:
        there = grade(policy, drawn, 3, by="board", executor=executor)
    assert str(there.to_dict()) == str(grade(policy, drawn, 3, by="board").to_dict())


def test_bad_input(drawn):
    with pytest.raises(ValueError, match="unknown by 'boards'; choose one of position"):
        grade("random", drawn, by="boards")
    with pytest.raises(ValueError, match="'3 boards' has its own variants"):
        grade("random", drawn, variant=Variant())
    with pytest.raises(ValueError, match="positions must be at least 1, not 0"):
        Benchmark.draw(VARIANTS, 0)
    with pytest.raises(ValueError, match="each of 3 variants, but there are 2 names"):
        Benchmark.draw(VARIANTS, 20, groups=["a", "b"])
    for variants in ([Variant(Board.from_text("#"), "corner_straight")], []):
        with pytest.raises(ValueError, match="no turn with two legal actions"):
            Benchmark.draw(variants, 20)


def test_scores_are_the_means_of_the_boards():
    scores = scores_on(VARIANTS, Chosen(True), ["random"], 60, 0)
    assert scores["random"].games == 60 and scores["random"].score > 0.5
    assert 0 <= scores["random"].low < scores["random"].score < scores["random"].high <= 1


@pytest.mark.parametrize(
    ("shares", "games", "low", "high"),
    [
        # Fewer than 4 boards: the mean of independent scores with an interval of 0.1 around each,
        # so a half width of 0.1 / sqrt(2).
        ([0.3, 0.5], 20, 0.329, 0.471),
        # The half width of Student's interval over 5 boards is 2.776 * 0.3 * sqrt(0.2) = 0.372.
        ([0.1, 0.1, 0.4, 0.7, 0.7], 30, 0.028, 0.772),
        ([0, 0, 0.3, 0.6, 0.6], 30, 0, 0.672),
        ([0.4, 0.4, 0.7, 1, 1], 30, 0.328, 1),
    ],
)
def test_intervals_of_scores_are_over_boards(monkeypatch, shares, games, low, high):
    played = []

    def matches(policy, matches, **options):
        for opponent, match in matches:
            played.append((opponent, match.games, match.variant, match.seed))
            share = shares[match.seed - 5]
            yield SimpleNamespace(score=share, score_interval=(share - 0.1, share + 0.1))

    monkeypatch.setattr("mijnlieff.evaluation.board_scores.play_all", matches)
    variants = (VARIANTS * 2)[: len(shares)]
    # Not a multiple of twice the boards, so it is rounded up.
    found = scores_on(variants, Chosen(True), ["greedy"], games - 3, 5)["greedy"]
    each = games // len(shares)
    assert played == [
        ("greedy", each, variant, 5 + number) for number, variant in enumerate(variants)
    ]
    assert found.to_dict() == {
        "games": games,
        "score": pytest.approx(np.mean(shares)),
        "low": pytest.approx(low, abs=2e-3),
        "high": pytest.approx(high, abs=2e-3),
    }


@pytest.mark.parametrize("share", [0.0, 0.2, 1.0])
def test_scores_of_few_boards_are_in_their_interval(monkeypatch, share):
    """The interval of a score may reach further to one side, at an end to one side alone."""
    ends = share - 0.3 * share, share + 0.3 * (1 - share)

    def matches(policy, matches, **options):
        return [SimpleNamespace(score=share, score_interval=ends) for _ in matches]

    monkeypatch.setattr("mijnlieff.evaluation.board_scores.play_all", matches)
    found = scores_on(VARIANTS[:2], Chosen(True), ["greedy"], 12, 0)["greedy"]
    assert found.score == pytest.approx(share)
    expected = [share + (end - share) / np.sqrt(2) for end in ends]
    assert [found.low, found.high] == pytest.approx(expected)


def test_the_command_grades_by_board(capsys):
    line = ["grade", "greedy", "--positions", "irregular-v1", "--by", "board"]
    assert main([*line, "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["by_board"]) == 8
