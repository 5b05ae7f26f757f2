"""Worst cases: what policies say about themselves, the options, and reports on several starts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import numpy as np
import pytest

from mijnlieff import (
    Board,
    PerfectPolicy,
    Position,
    RandomPolicy,
    Variant,
    best_response,
    errors,
    parse_record,
    solve,
)
from mijnlieff.evaluation import BestResponse, random_openings
from played import actions_of, finished
from players import Last, PerfectPlayer

SMALL = Variant(Board.from_text("###\n###"), "anywhere", 1)
CORNER = Variant(Board.from_text("##.\n###\n.##"), "corner", 1)


class Giving(Last):
    """Gives probabilities of its actions, by a function of their mask."""

    def __init__(self, probabilities) -> None:
        super().__init__()
        self.probabilities = probabilities

    def action_probabilities(self, positions: Sequence[Position]) -> np.ndarray:
        return self.probabilities(np.array([position.action_mask() for position in positions]))


def content(report: BestResponse) -> dict[str, object]:
    """All but the name of the policy."""
    return report.to_dict() | {"policy": ""}


def test_a_policy_that_never_draws_is_asked_once():
    start = Position(SMALL)
    silent = Last()
    report = best_response(silent, start=start)
    sizes = list(map(len, silent.asked))
    first, again = sizes[::2], sizes[1::2]
    assert max(first) > 64 and again == [min(count, 64) for count in first]
    sure = Last(is_deterministic=True, action_probabilities=None)
    assert content(best_response(sure, start=start)) == content(report)
    assert list(map(len, sure.asked)) == first


def test_a_policy_that_says_that_it_draws_needs_probabilities():
    with pytest.raises(errors.PolicyError, match=r"draws its moves at random; .* needs a method"):
        best_response(Last(is_deterministic=False), start=Position(SMALL))


@pytest.mark.parametrize("dtype", [bool, np.int8, np.uint8, np.float32])
def test_probabilities_are_numbers_of_any_kind(dtype):
    policy = Giving(lambda masks: masks.astype(dtype))
    report = best_response(policy, start=Position(SMALL))
    assert content(report) == content(best_response("random", start=Position(SMALL)))


@pytest.mark.parametrize(
    ("probabilities", "message"),
    [
        (lambda masks: masks.astype(object), r"of dtype object and shape \(\d+, 25\); .* numbers"),
        (lambda masks: masks.astype(str), "must return numbers of shape"),
        (lambda masks: masks.astype(complex), "must return numbers of shape"),
        (lambda masks: masks[:, :-1], r"and shape \(\d+, 24\); .* numbers of shape \(\d+, 25\)"),
        (lambda masks: np.where(masks, np.nan, 0), "must be finite and at least 0"),
        (lambda masks: np.where(masks, np.inf, 0), "must be finite and at least 0"),
        (lambda masks: masks - 0.5, "must be finite and at least 0"),
        (
            lambda masks: np.ones(masks.shape),
            r"may choose \[0, 1, .*, 24\] in position 0, .* legal",
        ),
        (
            lambda masks: masks * 0,
            r"may choose \[\] in position 0, .* where only \[1, 2, .*\] are legal: b1\+ c1\+",
        ),
    ],
)
def test_wrong_probabilities_are_refused(probabilities, message):
    with pytest.raises(errors.PolicyError, match=message):
        best_response(Giving(probabilities), start=Position(SMALL))


def test_endings_that_are_known_are_not_followed():
    start = random_openings(1, 2, CORNER, seed=2)[0]

    def found(*endings: int) -> dict[str, object]:
        return content(best_response(PerfectPlayer(exact_endings=endings), start=start))

    assert found(-3, 9) == found(0, 9) != found(1, 9)
    assert found(3, -2) == found(3, 0) != found(3, 1)
    assert found(7, 9) == found(16, 2**31 - 1) == found(10**30, 10**30)
    with pytest.raises(TypeError, match=r"^exact_endings "):
        found(3, 1.0)
    for wrong in (5, (1, 2, 3), "9"):
        with pytest.raises(TypeError, match=r"^exact_endings must be two integers, .* not "):
            best_response(PerfectPlayer(exact_endings=wrong), start=start)


def test_perfect_play_is_not_followed():
    start = Position(SMALL)
    assert best_response("perfect", seat="light", start=start).positions == {0: 1}
    assert best_response("perfect", start=start).positions == {0: 1, 1: 24}
    followed = best_response("perfect", start=start, settle=False)
    assert sum(followed.positions.values()) > 100
    assert followed.margin == followed.value == 0 and followed.num_mistakes == 0
    chance = best_response(PerfectPolicy(0, 1.0), start=start)
    assert content(chance) == content(best_response("random", start=start))


@pytest.mark.parametrize("horizon", [None, 0, 3, 5])
def test_the_worst_game_is_played_as_the_report_says(horizon):
    """By the policy, and perfectly beyond the horizon; the opponent gains all it can."""
    for player, seat in enumerate(("light", "dark")):
        report = best_response(Last(), seat=seat, start=Position(SMALL), horizon=horizon)
        game = Position(SMALL)
        for action in parse_record(report.worst_game, SMALL):
            if game.to_play == player:
                perfect = horizon is not None and game.ply >= horizon
                assert action in (solve(game).best_actions if perfect else [Last().act(game)])
            game = game.play(action)
        assert game.is_over and game.margin == (report.margin if player == 0 else -report.margin)


def test_the_worst_game_of_known_endings_is_played_by_the_policy():
    start = Position(SMALL)
    policy = PerfectPlayer(exact_endings=(4, 9))
    report = best_response(policy, start=start)
    assert report.margin == report.value
    game = start
    for action in parse_record(report.worst_game, SMALL):
        assert action == policy.act(game) if game.to_play == 1 else action in game.legal_actions()
        game = game.play(action)
    assert game.is_over and -game.margin == report.margin


def test_a_report_on_several_starts_adds_up():
    starts = [Position(CORNER), *random_openings(5, 2, CORNER), *random_openings(5, 3, CORNER)]
    policy = Last()
    report = best_response(policy, seat="both", start=starts)
    positions, mistakes, refutations = Counter(), Counter(), set()
    # Starts with one outcome under perfect play are searched together.
    for player, seat in enumerate(("light", "dark")):
        by_outcome: dict[int, list[Position]] = {}
        for start in starts:
            sign = 1 if start.to_play == player else -1
            by_outcome.setdefault(sign * solve(start).outcome, []).append(start)
        assert len(by_outcome) > 1
        for some in by_outcome.values():
            part = best_response(policy, seat=seat, start=some)
            positions.update(part.positions)
            for ply, cells in part.mistakes.items():
                mistakes.update({(ply, column): count for column, count in enumerate(cells)})
            refutations.update(part.refutations)
    assert report.positions == positions and list(report.positions) == sorted(positions)
    assert {
        (ply, column): count
        for ply, cells in report.mistakes.items()
        for column, count in enumerate(cells)
    } == mistakes
    assert list(report.mistakes) == sorted(report.mistakes)
    assert set(report.refutations) == refutations and report.num_mistakes == len(refutations)
    by_notation = {start.notation: start.ply for start in starts}
    lengths = [
        by_notation.get(record.partition(": ")[0], 0) + len(actions_of(record, CORNER))
        for record in report.refutations
    ]
    assert lengths == sorted(lengths) and len(set(lengths)) > 1
    few = best_response(policy, seat="both", start=starts, max_refutations=3)
    assert few.refutations == report.refutations[:3] and few.num_mistakes == report.num_mistakes
    assert content(few) | {"refutations": ()} == content(report) | {"refutations": ()}


def test_defaults_and_least_numbers():
    start = Position(CORNER)
    report = best_response("random", start=start)
    assert (report.policy, report.seat, report.horizon) == ("random", "dark", None)
    assert report.num_mistakes > len(report.refutations) == 1000
    none = best_response(RandomPolicy(), start=start, max_refutations=0, name="mine")
    assert none.policy == "mine" and none.refutations == ()
    assert none.num_mistakes == report.num_mistakes


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"seat": "white"}, ValueError, "^unknown seat 'white'; choose one of light, dark, both"),
        ({"max_positions": 0}, ValueError, "^max_positions must be at least 1, not 0"),
        ({"max_positions": 1}, errors.SearchLimitError, r"max_positions=1\b"),
        ({"max_positions": 100}, errors.SearchLimitError, "max_positions=100"),
        ({"max_refutations": -1}, ValueError, "^max_refutations must be at least 0, not -1"),
        ({"horizon": -1}, ValueError, "^horizon must be at least 0, not -1"),
        ({"start": 5}, TypeError, "start must be a Position or several, not 5"),
        ({"start": ["a1+"]}, TypeError, "must be a Position"),
        ({"start": []}, ValueError, "empty"),
        (
            {"start": [Position(SMALL), finished(Position(SMALL))]},
            errors.GameOverError,
            "start 1: the game is over",
        ),
        (
            {"start": Position(Variant(Board.from_text("######\n######\n#####.")))},
            errors.BoardError,
            "at most 16 cells, this one has 17",
        ),
    ],
    ids=str,
)
def test_wrong_options_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        best_response("random", **options)
