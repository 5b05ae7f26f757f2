"""Reviews of games, against the exact solver move by move."""

from __future__ import annotations

import pytest

from mijnlieff import Board, Position, Variant, parse_record, solve
from mijnlieff.errors import GameOverError, IllegalMoveError, ParseError, SearchLimitError
from mijnlieff.evaluation import review
from played import EXAMPLE


def check(actions: list[int], variant: Variant | None = None) -> None:
    """Compare a review with one exact search for each move."""
    rows = review(actions, variant)
    assert [row.action for row in rows] == actions
    position = Position(variant)
    for ply, row in enumerate(rows):
        solution = solve(position)
        assert (row.ply, row.player) == (ply, position.to_play)
        assert row.name == position.variant.action_name(row.action)
        assert row.best_margin == solution.margin
        assert list(row.best_actions) == solution.best_actions
        assert row.margin == solution.action_margins[row.action]
        assert row.loss == solution.margin - row.margin >= 0
        assert (row.loss == 0) == (row.action in row.best_actions)
        position = position.play(row.action)
        # What the move was worth is what the opponent then faces.
        assert row.margin == -solve(position).margin


def test_each_move_has_its_exact_value():
    check(list(parse_record(EXAMPLE)))


def test_a_game_on_another_board():
    variant = Variant(Board.from_text("###\n###\n###"), "anywhere", 1)
    position, actions = Position(variant), []
    while not position.is_over:
        actions.append(int(position.legal_actions()[-1]))
        position = position.play(actions[-1])
    check(actions, variant)


def test_only_the_ending_of_a_larger_board():
    variant = Variant(Board.from_text("#####\n" * 4))
    position, actions, first = Position(variant), [], 0
    while not position.is_over:
        first += not position.is_solvable
        actions.append(int(position.legal_actions()[-1]))
        position = position.play(actions[-1])
    rows = review(actions, variant)
    assert [row.ply for row in rows] == list(range(first, len(actions))) and first == 6
    for row in rows:
        solution = solve(Position.from_actions(actions[: row.ply], variant))
        assert (row.action, row.best_margin) == (actions[row.ply], solution.margin)
        assert row.margin == solution.action_margins[row.action]
    assert review(actions[:first], variant) == []


def test_losses_add_up_to_the_result():
    actions = list(parse_record(EXAMPLE))
    lost = [0, 0]
    for row in review(actions):
        lost[row.player] += row.loss
    start, end = solve(Position()).margin, Position.from_actions(actions).margin
    assert end == start - lost[0] + lost[1]
    assert sum(lost) > 0


def test_names_and_unfinished_games():
    assert review(["a1+", "a3><"]) == review(parse_record("1. a1+, a3><"))
    assert review([]) == []


@pytest.mark.parametrize(
    ("actions", "error", "message"),
    [
        (["a1+", "a1x"], IllegalMoveError, r"^move 2: .*a1x"),
        ([*parse_record(EXAMPLE), 0], GameOverError, r"^move 17: "),
        (["a9+"], ParseError, r"a9\+"),
        ("1. a1+, a3><", TypeError, r"actions must be a list of actions, not a str; parse_record"),
        (Position(), TypeError, r"actions must be a list of actions, not Position\.from_notation"),
        (3, TypeError, "actions must be a list of actions, not 3"),
    ],
)
def test_games_that_cannot_be_played(actions, error, message):
    with pytest.raises(error, match=message):
        review(actions)


def test_a_limit():
    square = Variant(copies=4)  # there is no book for it, and the first position takes seconds
    with pytest.raises(SearchLimitError):
        review(["a1+", "a3><"], square, max_seconds=0.01)
