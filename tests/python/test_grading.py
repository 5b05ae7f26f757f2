from __future__ import annotations

import json

import numpy as np
import pytest

import mijnlieff
from mijnlieff import PerfectPolicy, Position, RandomPolicy, Variant, errors, grade, solve
from mijnlieff.cli.main import main
from mijnlieff.evaluation.grading import sample_decisions


def test_perfect_play_gets_full_marks() -> None:
    report = grade(PerfectPolicy(), positions=300, seed=1)
    assert report.total.optimal == report.total.kept == 1
    assert report.total.regret == report.total.outcome_regret == 0
    low, high = report.total.optimal_interval
    assert 0.95 < low < 1 and high == 1


def test_a_grade_counts_what_the_solver_says() -> None:
    class First:
        """Plays the first legal action."""

        def __init__(self) -> None:
            self.asked: list[Position] = []

        def act(self, position: Position) -> int:
            return int(position.legal_actions()[0])

        def act_batch(self, positions: list[Position]) -> np.ndarray:
            self.asked = list(positions)
            return np.array([self.act(position) for position in positions], dtype=np.int64)

    policy = First()
    report = grade(policy, positions=30, name="first")
    row = report.by_source["own games"]  # the last source: its positions were asked last
    assert row.positions == len(policy.asked) == 10
    solutions = [solve(position) for position in policy.asked]
    reached = [
        s.action_margins[policy.act(p)] for s, p in zip(solutions, policy.asked, strict=True)
    ]
    regret = [s.margin - margin for s, margin in zip(solutions, reached, strict=True)]
    assert row.regret == pytest.approx(np.mean(regret))
    assert row.optimal == pytest.approx(np.mean(np.array(regret) == 0))
    decisive = [min(s.action_margins.values()) for s in solutions]
    outcomes = [s.outcome > np.sign(worst) for s, worst in zip(solutions, decisive, strict=True)]
    assert row.decisive == sum(outcomes)
    lost = [s.outcome - np.sign(margin) for s, margin in zip(solutions, reached, strict=True)]
    assert row.outcome_regret == pytest.approx(np.mean(lost))


def test_rows_add_up() -> None:
    report = grade("random", positions=301, seed=2)
    assert report.total.positions == 301
    for rows in (report.by_source, report.by_seat, report.by_ply):
        assert sum(row.positions for row in rows.values()) == 301
        assert sum(row.decisive for row in rows.values()) == report.total.decisive
    assert list(report.by_source) == ["random play", "minimax 2", "own games"]
    assert report.total.optimal < 0.6 < grade("perfect:0.1", positions=300).total.optimal
    assert str(report) == str(grade("random", positions=301, seed=2))
    assert "random play" in str(report) and "<table>" in report._repr_html_()
    assert report.to_dict()["total"]["positions"] == 301


def test_decisions_have_a_choice() -> None:
    sample = sample_decisions(RandomPolicy(), 50, (1, 2))
    assert len(sample) == 50
    assert all(len(position.legal_actions()) > 1 for position in sample)


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="at least 3"):
        grade("random", positions=2)
    with pytest.raises(ValueError, match="seed"):
        grade("random", positions=3, seed=-1)
    with pytest.raises(ValueError, match="no choice"):
        sample_decisions(
            RandomPolicy(), 1, (0,), Variant(mijnlieff.Board.from_text("#"), "corner_straight")
        )

    class Bad:
        def act(self, position: Position) -> int:
            return 64

        def act_batch(self, positions: list[Position]) -> np.ndarray:
            return np.full(len(positions), 64)

    with pytest.raises(errors.PolicyError, match="64"):
        grade(Bad(), positions=3)


def test_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grade", "greedy", "--positions", "30", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["total"]["positions"] == 30
    assert main(["grade", "greedy", "--positions", "30"]) == 0
    assert "mean regret" in capsys.readouterr().out
    assert main(["solve"]) == 0
    assert "Light to move loses, margin -1" in capsys.readouterr().out
    assert main(["solve", "1. b2<>", "--opening", "anywhere", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["margin"] == -1
    assert main(["solve", "--board", "blocks:0,0;2,0;4,0;0,2;2,2", "--nodes", "100"]) == 1
    assert "proven" in capsys.readouterr().err
    assert main(["solve", "1. b2+"]) == 1
    assert main(["solve", "1. b2"]) == 2
    assert main(["solve", "--seconds", "-1"]) == 2
