from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from importlib.resources import files
from typing import Any

import numpy as np
import pytest

import mijnlieff
from mijnlieff import Board, PerfectPolicy, Position, Variant, errors, solve, solve_batch
from mijnlieff._mijnlieff import Solver
from played import example, late

STANDARD = Variant()
FINISHED = example()
BOOK = (files("mijnlieff") / "data" / "book.bin").read_bytes()


def random_positions(plies: int, count: int, seed: int = 0) -> list[Position]:
    return mijnlieff.evaluation.random_openings(count, plies, STANDARD, seed)


@pytest.mark.parametrize(
    ("opening", "margin"),
    [("outside", -1), ("corner", -1), ("corner_straight", -1), ("anywhere", 1)],
)
def test_value_of_every_opening_rule(opening: str, margin: int) -> None:
    assert solve(Position(Variant(opening=opening))).margin == margin


def test_margins_of_the_first_moves() -> None:
    solution = solve(Position(Variant(opening="anywhere")))
    by_cell = {"a1": (-1, -2, -1, -1), "b1": (-1, -1, -1, -1), "b2": (0, -1, 1, -1)}
    for cell, margins in by_cell.items():
        for sign, margin in zip(("+", "x", "<>", "><"), margins, strict=True):
            action = STANDARD.action_index(cell + sign)
            assert solution.action_margins[action] == margin
    assert solution.outcome == 1
    names = [STANDARD.action_name(action) for action in solution.best_actions]
    assert names == ["b2<>", "c2<>", "b3<>", "c3<>"]


def test_the_book_agrees_with_the_search() -> None:
    with_book = Solver(STANDARD, 1 << 26, BOOK)
    without = Solver(STANDARD, 1 << 26)
    assert (with_book.book_positions > 1_000_000) and without.book_positions == 0
    for position in random_positions(4, 6) + random_positions(5, 12):
        found, expected = with_book.solve(position), without.solve(position)
        assert found.margin == expected.margin
        assert dict(found.action_margins) == dict(expected.action_margins)


def test_a_solution_does_not_share_the_margins_given() -> None:
    margins = {0: 1}
    solution = mijnlieff.solving.Solution(1, margins, 0, 0)
    margins[5] = 9
    assert dict(solution.action_margins) == {0: 1}


def test_solution_of_an_ending() -> None:
    position = example(10)
    solution = solve(position)
    assert solution.margin == 3
    assert [STANDARD.action_name(action) for action in solution.best_actions] == ["d4x"]
    assert sorted(solution.action_margins) == position.legal_actions().tolist()
    assert solution.nodes > 0


def test_margins_of_a_solution_are_a_dict_that_callers_may_change() -> None:
    solution = solve(example(10))
    margins = solution.action_margins
    assert json.loads(json.dumps(margins)) == {str(key): it for key, it in margins.items()}
    assert pickle.loads(pickle.dumps(margins)) == copy.deepcopy(margins) == margins
    margins.clear()
    assert solution == solve(example(10))


def test_solution_of_a_finished_game() -> None:
    solution = solve(FINISHED)
    assert (solution.margin, solution.outcome) == (3, 1)  # Light is to move
    assert solution.best_actions == []
    batch = solve_batch([FINISHED])
    assert batch.margins.tolist() == [3]
    assert not batch.action_mask.any() and not batch.policy_targets.any()


def test_batch_is_many_solutions() -> None:
    positions = [position for plies in range(5, 14) for position in random_positions(plies, 20)]
    one, two = solve_batch(positions, num_threads=1), solve_batch(positions, num_threads=2)
    for name in ("margins", "action_margins", "action_mask"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
    assert len(one) == len(positions)
    assert one.action_margins.dtype == one.margins.dtype == np.int16
    np.testing.assert_array_equal(one.action_mask, mijnlieff.encoding.mask_batch(positions))
    for i, position in enumerate(positions):
        solution = solve(position)
        assert one.margins[i] == solution.margin
        assert one.outcomes[i] == solution.outcome
        assert np.flatnonzero(one.best_mask[i]).tolist() == solution.best_actions
        legal = position.legal_actions()
        assert one.action_margins[i, legal].tolist() == list(solution.action_margins.values())
    assert (one.action_margins[one.action_mask == 0] == np.iinfo(np.int16).min).all()
    np.testing.assert_allclose(one.policy_targets.sum(axis=1), 1)


def test_other_boards_and_copies() -> None:
    for board in (Board.from_blocks([(0, 0), (2, 2)]), Board.from_text("###\n#.#\n###")):
        for copies in (1, 3, 20):
            position = Position(Variant(board, "anywhere", copies))
            solution = solve(position)
            values = [-solve(position.play(int(a))).margin for a in position.legal_actions()]
            assert list(solution.action_margins.values()) == values
            assert solution.margin == max(values)


def test_limits_give_proven_bounds() -> None:
    large = Position(Variant(Board.from_blocks([(x, y) for x in (0, 2, 4) for y in (0, 2)])))
    with pytest.raises(errors.SearchLimitError, match="proven") as caught:
        solve(large, max_nodes=1000)
    assert caught.value.lower <= caught.value.upper
    with pytest.raises(errors.SearchLimitError, match="time"):
        solve(large, max_seconds=0.01)
    with pytest.raises(errors.SearchLimitError, match=r"position \d: "):
        solve_batch([large] * 3, max_seconds=0.01)
    copy = pickle.loads(pickle.dumps(caught.value))
    assert (copy.lower, copy.upper, str(copy)) == (
        caught.value.lower,
        caught.value.upper,
        str(caught.value),
    )


@pytest.mark.parametrize("seconds", [float("inf"), 1e300, 1e19])
def test_a_time_beyond_the_clock_is_no_limit(seconds: float) -> None:
    assert solve(Position(), max_seconds=seconds).margin == -1
    assert list(solve_batch([Position()], max_seconds=seconds).margins) == [-1]


BAD: list[tuple[Callable[[], object], type[Exception], str]] = [
    (lambda: solve_batch([]), ValueError, "empty"),
    (lambda: solve_batch([Position()], num_threads=0), ValueError, "num_threads"),
    (lambda: solve_batch([Position(), Position(Variant(copies=1))]), ValueError, "position 1"),
    (lambda: solve(Position(), max_seconds=-1), ValueError, "-1"),
    (lambda: solve(Position(), max_seconds=float("nan")), ValueError, "not NaN"),
    (lambda: solve(Position(), max_seconds=-1e300), ValueError, r"not -1e300(\n|$)"),
    (lambda: solve("a1+"), TypeError, "a Position, not 'a1"),  # type: ignore[arg-type]
    (lambda: PerfectPolicy(seed=-1), ValueError, "-1"),
    (lambda: PerfectPolicy(epsilon=1.5), ValueError, "1.5"),
    (lambda: PerfectPolicy(epsilon=float("nan")), ValueError, "not NaN"),
    (lambda: Solver(STANDARD, 1 << 20, b""), errors.BookError, "MIJNBOOK"),
    (lambda: Solver(STANDARD, 1 << 20, BOOK[:-1]), errors.BookError, "truncated"),
    (lambda: Solver(STANDARD, 1 << 20, BOOK[:1000] + b"?" + BOOK[1001:]), errors.BookError, "dam"),
    (
        lambda: Solver(STANDARD, 1 << 20, BOOK[:8] + b"\x63" + BOOK[9:]),
        errors.BookError,
        "version 99",
    ),
    (lambda: Solver(Variant(copies=1), 1).solve(Position()), ValueError, "copies"),
]


@pytest.mark.parametrize("case", range(len(BAD)))
def test_bad_input(case: int) -> None:
    action, error, words = BAD[case]
    with pytest.raises(error, match=words):
        action()


def test_the_table_can_be_capped() -> None:
    try:
        mijnlieff.solving.set_table_bytes(1 << 20)
        assert mijnlieff.solving.solver_for(STANDARD).table_bytes == 1 << 20
    finally:
        mijnlieff.solving.set_table_bytes(64 << 20)
    small = 4 << 20  # for short searches
    assert mijnlieff.solving.solver_for(STANDARD).table_bytes == (64 << 20) + small


def test_perfect_play_ends_with_the_margin_of_the_game() -> None:
    for seed in range(5):
        player = PerfectPolicy(seed)
        position = Position()
        while not position.is_over:
            position = position.play(player.act(position))
        assert position.margin == -1


def test_a_perfect_policy_is_built_in() -> None:
    one = PerfectPolicy(3, epsilon=0.5)
    assert (one.seed, one.epsilon) == (3, 0.5)
    assert repr(one) == "PerfectPolicy(seed=3, epsilon=0.5)"
    assert isinstance(one, mijnlieff.policies.BuiltinPolicy)
    tiny = Position(Variant(Board.from_text("###\n#.#"), copies=1))
    mixed = [Position(), tiny, Position().play("a1+")]
    apart = [PerfectPolicy(3, 0.5).with_seed(3), PerfectPolicy(3, 0.5)]
    chosen = apart[0].act_batch(mixed)
    np.testing.assert_array_equal(chosen, [apart[1].act(position) for position in mixed])


def test_perfect_play_of_more_variants_than_have_tables_of_their_own() -> None:
    boards = ["##\n##", "###\n#.#", "###\n###", "####\n####", "#.#\n###", ".#.\n###\n.#."]
    tiny = [Position(Variant(Board.from_text(text), copies=1)) for text in boards]
    mixed = [*tiny, Position(), Position().play("a1+"), *tiny[::-1]]
    together, alone = PerfectPolicy(3, 0.5), PerfectPolicy(3, 0.5)
    for _call in range(2):
        chosen = together.act_batch(mixed)
        np.testing.assert_array_equal(chosen, [alone.act(position) for position in mixed])
    env = mijnlieff.VectorEnv(
        20, variants=[position.variant for position in tiny], opponent=PerfectPolicy(), seat="dark"
    )
    env.reset(seed=1)
    for position in env.positions():
        assert position.last_action in solve(Position(position.variant)).best_actions


def test_perfect_play_in_matches_and_environments() -> None:
    reports = [
        mijnlieff.evaluate("perfect", "minimax:2", games=40, opening_plies=6, num_threads=threads)
        for threads in (1, 2)
    ]
    assert reports[0].to_dict() == reports[1].to_dict()
    assert reports[0].score > 0.5
    # Light loses the standard game against perfect play, whatever it does.
    env = mijnlieff.VectorEnv(8, opponent=PerfectPolicy(), seat="light")
    env.reset(seed=1)
    same = pickle.loads(pickle.dumps(env))
    ended = 0
    for _step in range(20):
        actions = env.sample_actions()
        _, rewards, over, *_ = env.step(actions)
        np.testing.assert_array_equal(actions, same.sample_actions())
        np.testing.assert_array_equal(rewards, same.step(actions)[1])
        assert (rewards[over] == -1).all()
        ended += over.sum()
    assert ended >= 8


def test_perfect_choices_are_uniform() -> None:
    position = Position.from_record("1. a1+")
    best = solve(position).best_actions
    chosen = PerfectPolicy(1).act_batch([position] * 4000)
    counts = np.bincount(chosen, minlength=65)
    assert set(np.flatnonzero(counts)) == set(best)
    # Chi-squared with len(best) - 1 degrees of freedom stays below its mean and 5 deviations.
    expected = 4000 / len(best)
    statistic = ((counts[best] - expected) ** 2 / expected).sum()
    assert statistic < len(best) - 1 + 5 * (2 * len(best)) ** 0.5
    erring = PerfectPolicy(1, epsilon=1).act_batch([position] * 4000)
    assert set(erring) == set(position.legal_actions().tolist())


def test_the_empty_board_is_looked_up() -> None:
    """So a move there takes no search, neither in `solve` nor by a perfect player."""
    limits: list[dict[str, Any]] = [{"max_nodes": 0}, {"max_seconds": 0}, {"max_seconds": 1e-9}]
    for limit in limits:
        solution = solve(Position(), **limit)
        assert (solution.margin, solution.nodes) == (-1, 0)
        assert solve_batch([Position(), FINISHED], **limit).margins[0] == -1
    best = set(solution.best_actions)
    assert set(PerfectPolicy(1).act_batch([Position()] * 500).tolist()) == best
    searched = Position(Variant(copies=3)).play("a1+")
    for limit in limits[:2]:
        with pytest.raises(errors.SearchLimitError):
            solve(searched, **limit)


def test_light_margin_has_the_sign_of_position_margin():
    for position in random_positions(9, 40):
        solution = solve(position)
        sign = 1 if position.to_play == 0 else -1
        assert solution.light_margin == sign * solution.margin
        assert solution.to_play == position.to_play
        while not position.is_over:
            position = position.play(solve(position).best_actions[0])
        assert position.margin == solution.light_margin


@pytest.mark.parametrize("openings", [["corner", "corner_straight", "anywhere"], None])
@pytest.mark.parametrize("board", [Board.standard(), Board.from_blocks([(0, 0), (1, 2)])])
def test_starts_of_several_opening_rules_do_not_disturb_each_other(board, openings):
    for opening in openings or ["corner_straight", "anywhere", "outside", "corner"]:
        position = Position(Variant(board, opening))
        solution, batch = solve(position), solve_batch([position])
        legal = position.legal_actions().tolist()
        assert list(solution.action_margins) == legal
        assert batch.action_mask[0].nonzero()[0].tolist() == legal
        margins = {action: -solve(position.play(action)).margin for action in legal}
        assert dict(solution.action_margins) == margins
        assert PerfectPolicy().act(position) in solution.best_actions


@pytest.mark.parametrize("opening", ["anywhere", "corner_straight", "corner"])
def test_all_that_solve_know_the_first_moves_of_the_opening(opening: str) -> None:
    board = Board.from_text("####\n###.")
    for other in ("corner_straight", "anywhere", opening):  # what is solved first must not matter
        start = Position(Variant(board, other, 1))
        solve(start)
    # By what follows each move, where openings make no difference.
    after = {int(action): -solve(start.play(action)).margin for action in start.legal_actions()}
    value = max(after.values())
    best = {action for action, margin in after.items() if margin == value}
    assert solve(start).action_margins == after

    search = mijnlieff.TreeSearch([start], 1, solve_roots_below=16)
    search.run_with_rollouts()
    assert set(np.flatnonzero(search.policy_targets[0])) == best and search.solved.all()
    assert set(np.flatnonzero(PerfectPolicy().action_probabilities([start])[0])) == best
    assert set(PerfectPolicy().act_batch([start] * 100)) <= best
    env = mijnlieff.VectorEnv(100, start.variant, opponent="perfect", seat="dark")
    env.reset(seed=0)
    assert set(env.positions()) <= {start.play(action) for action in best}
    report = mijnlieff.best_response("perfect", start=start, seat="light", settle=False)
    assert (report.margin, report.value) == (value, value)
    assert mijnlieff.evaluate("perfect", "perfect", 20, start.variant).mean_margin == 0


@pytest.mark.parametrize(("board", "copies"), [("########\n" * 8, 8), ("#####\n" * 4, 127)])
def test_endings_of_large_boards_are_exact_in_tree_searches_too(board: str, copies: int) -> None:
    variant = Variant(mijnlieff.Board.from_text(board), copies=copies)
    for seed in range(5):
        position = late(variant, 10, seed)
        solution = solve(position)
        search = mijnlieff.TreeSearch([position], 1, solve_roots_below=10, margin_weight=0.0)
        assert search.select() is None  # the root is solved
        assert search.actions[0] in solution.best_actions or solution.outcome in (
            {solve(position.play(int(search.actions[0]))).outcome * -1}
        )
        assert search.root_values[0] == solution.outcome
        margins = mijnlieff.solve_batch([position, position]).action_margins[1]
        assert all(margins[action] == m for action, m in solution.action_margins.items())


def test_large_boards_without_an_answer_say_so() -> None:
    position = late(Variant(mijnlieff.Board.from_text("########\n" * 8), copies=8), 20, 1)
    with pytest.raises(mijnlieff.SearchLimitError, match="2000 nodes") as caught:
        solve(position, max_nodes=2000)
    assert caught.value.lower <= caught.value.upper
    with pytest.raises(mijnlieff.SearchLimitError, match="time"):
        solve(position, max_seconds=0.05)
