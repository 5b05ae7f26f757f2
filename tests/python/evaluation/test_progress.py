"""What functions do beside their results: progress bars, defaults, and jobs for workers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from importlib import import_module
from types import SimpleNamespace

import numpy as np
import pytest

from mijnlieff import (
    Board,
    Position,
    Variant,
    best_response,
    evaluate,
    grade,
    solve_batch,
    tournament,
)
from mijnlieff.evaluation import Benchmark, play_match
from mijnlieff.evaluation.board_scores import scores_on
from mijnlieff.evaluation.grading import GradePlan
from players import First

match, grading, worst_case = (
    import_module(f"mijnlieff.evaluation.{name}") for name in ("match", "grading", "best_response")
)
SMALL = Variant(Board.from_text("##\n##"), copies=1)
PLAYERS = {"a": "random", "b": "greedy", "c": "random"}


@dataclass
class Bar:
    """A progress bar, and how it moved on."""

    total: int
    unit: str
    enabled: bool
    steps: list[int] = field(default_factory=list)


@pytest.fixture
def bars(monkeypatch) -> list[Bar]:
    """The bars that were shown, in place of those on the terminal."""
    shown: list[Bar] = []

    @contextmanager
    def bar(
        total: int, unit: str, enabled: bool = True, clock: object = None
    ) -> Iterator[Callable[[int], object]]:
        shown.append(Bar(total, unit, enabled))
        yield shown[-1].steps.append

    for name in ("benchmark", "best_response", "grading", "match", "tournament"):
        module = import_module(f"mijnlieff.evaluation.{name}")
        monkeypatch.setattr(module, "progress_bar", bar)
    return shown


def grade_unsolved(**options: object) -> None:
    """Positions of a board that takes long to solve; the progress alone counts here."""

    def unsolved(some: list[Position], *args: object, **options: object) -> SimpleNamespace:
        shape = len(some), some[0].variant.num_actions
        return SimpleNamespace(action_margins=np.zeros(shape, np.int16))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(grading, "solve_batch", unsolved)
        grade(First(), 30, variant="/".join(["#" * 6] * 6), **options)


CALLS = {
    "evaluate": (partial(evaluate, "random", "greedy", 300), 300, "games", 128),
    "in lock step": (partial(evaluate, First(), "greedy", 30), 30, "games", 22),
    "tournament": (partial(tournament, PLAYERS, 10), 30, "games", 10),
    "on boards": (
        partial(scores_on, [SMALL] * 3, First(), ["random", "greedy"], 12, 0),
        24,
        "games",
        4,
    ),
    "grade": (partial(grade, "random", 34), 34, "positions", 12),
    "few decisions": (partial(grade, "random", 90, variant=SMALL), 90, "positions", 28),
    "many positions": (partial(grade, First(), 780, variant="standard"), 780, "positions", 256),
    "a large board": (grade_unsolved, 30, "positions", 4),
    "a benchmark": (partial(grade, "random", "irregular-v1"), 1920, "positions", 240),
    "the standard benchmark": (partial(grade, First()), 5040, "positions", 1024),
}
"""Calls, what their bars count, and the longest step of a bar without an executor."""


@pytest.mark.parametrize(("call", "total", "unit", "longest"), CALLS.values(), ids=CALLS)
def test_bars_move_on_to_their_total(bars, call, total, unit, longest):
    call(progress=True)
    assert max(bars[0].steps) == longest
    with ThreadPoolExecutor(1) as executor:
        call(progress=True, executor=executor)
    for bar in bars:
        assert (bar.total, bar.unit, bar.enabled, sum(bar.steps)) == (total, unit, True, total)
    assert len(bars) == 2
    call()
    assert not bars[-1].enabled


def test_bars_of_drawn_positions_count_boards(bars):
    Benchmark.draw([SMALL] * 3, 6)
    assert bars == [Bar(3, "boards drawn and solved", False, [1, 1, 1])]
    Benchmark.draw([SMALL], 2, progress=True)
    assert bars[-1].enabled


def test_worst_cases_have_a_bar_for_each_turn_with_a_choice(bars, monkeypatch):
    monkeypatch.setattr(worst_case, "_BATCH", 5)
    policy, start = First(is_deterministic=True), Position(SMALL)
    report = best_response(policy, start=start, seat="light", progress=True)
    asked = [(positions[0].ply, len(positions)) for positions in policy.asked]
    assert [bar.unit for bar in bars] == [f"positions after {ply} turns" for ply in (0, 2, 4)]
    assert [bar.total for bar in bars] == [report.positions[ply] for ply in (0, 2, 4)]
    steps = [(ply, bar.steps) for ply, bar in zip((0, 2, 4), bars, strict=True)]
    assert [(ply, step) for ply, some in steps for step in some] == asked
    assert max(count for _, count in asked) == 5 and all(bar.enabled for bar in bars)
    best_response(policy, start=start)
    assert not bars[-1].enabled


def test_a_bar_of_a_native_match_moves_on_often(bars):
    evaluate("random", "greedy", 300, progress=True)
    assert bars[0].steps == [128, 128, 44]


def test_defaults_are_those_of_the_documentation():
    report = evaluate("random", "greedy")
    assert (report.games, report.opening_plies, report.seed) == (1000, 2, 0)
    assert (report.policy, report.opponent) == ("random", "greedy")
    both = tournament({"random": "random", "greedy": "greedy"})
    assert both.matches == (report,) and both.seed == 0
    report = grade("random", 30)
    assert str(report.to_dict()) == str(grade("random", 30, 0, Variant()).to_dict())
    assert Benchmark.draw([SMALL], 4).positions == Benchmark.draw([SMALL], 4, 0).positions
    plan = GradePlan.checked("random", None, 0, Variant(opening="corner"), None, None)
    assert plan.count == 10_000


def test_the_least_numbers_are_accepted():
    player = First()
    report = evaluate("random", player, games=2, opening_plies=0)
    assert report.games == 2 and report.opening_plies == 0
    assert (report.policy, report.opponent) == ("random", repr(player))
    assert grade("random", 3).total.positions == 3
    assert len(Benchmark.draw([SMALL], 1)) == 1


@pytest.mark.parametrize(
    ("call", "name"),
    [
        (lambda: evaluate("random", "random", games=10.0), "games"),
        (lambda: grade("random", 9.0), "positions"),
        (lambda: Benchmark.draw([SMALL], 2.0), "positions"),
    ],
)
def test_a_number_that_is_not_an_integer_is_named(call, name):
    """As in ``hostile/test_integers.py``, which ``make mutants-python`` does not run."""
    with pytest.raises(TypeError, match=rf"^{name} "):
        call()


@pytest.mark.parametrize("num_threads", [None, 2])
def test_a_worker_has_one_thread_unless_told(monkeypatch, num_threads):
    used = []

    def play_match_with(openings, policy, opponent, seed, first, threads):
        used.append(threads)
        return play_match(openings, policy, opponent, seed, first, threads)

    def solve_batch_with(positions, threads, **options):
        used.append(threads)
        return solve_batch(positions, threads, **options)

    monkeypatch.setattr(match, "play_match", play_match_with)
    monkeypatch.setattr(grading, "solve_batch", solve_batch_with)
    with ThreadPoolExecutor(1) as executor:
        for there in (executor, None):
            options = {"num_threads": num_threads, "executor": there}
            evaluate("random", "greedy", 10, **options)
            tournament({"a": "random", "b": "greedy"}, 10, **options)
            grade("random", 3, **options)
    assert used == [num_threads or 1] * 5 + [num_threads] * 5


def test_jobs_are_as_long_as_documented(monkeypatch):
    played = []

    def no_games(policy, opponent, conditions, number, count, finished):
        played.append((number, count))
        return np.zeros((count, 2), dtype=np.int64)

    monkeypatch.setattr(match, "play_pairs", no_games)
    with ThreadPoolExecutor(1) as executor:
        for there in (executor, None):
            for players in ((First(), "random"), ("random", First()), (First(), First())):
                assert evaluate(*players, games=10_000, executor=there).games == 10_000
        assert played == [(0, 4096), (4096, 904)] * 6
        played.clear()
        evaluate("greedy", "random", games=2_600, executor=executor)
    assert played == [(0, 512), (512, 512), (1024, 276)]
