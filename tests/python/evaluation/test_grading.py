from __future__ import annotations

import json

import numpy as np
import pytest

import mijnlieff
from mijnlieff import (
    Board,
    PerfectPolicy,
    Position,
    RandomPolicy,
    Tablebase,
    Variant,
    errors,
    grade,
    solve,
)
from mijnlieff.cli.main import main
from mijnlieff.evaluation.canonical import canonical_keys
from mijnlieff.evaluation.decisions import Decisions
from players import First


def test_perfect_play_gets_full_marks() -> None:
    report = grade(PerfectPolicy(), positions=300, seed=1)
    assert report.total.optimal == report.total.kept == 1
    assert report.total.regret == report.total.outcome_regret == 0
    low, high = report.total.optimal_interval
    assert 0.95 < low < 1 and high == pytest.approx(1)


def test_a_grade_counts_what_the_solver_says() -> None:
    policy = First()
    report = grade(policy, positions=30, name="first")
    row = report.by_source["own games"]  # the last source: its positions were asked last
    asked = policy.asked[-1]
    assert row.positions == len(asked) == 10
    solutions = [solve(position) for position in asked]
    reached = [
        s.action_margins[p.legal_actions()[0]] for s, p in zip(solutions, asked, strict=True)
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
    count = report.total.positions
    assert 290 < count <= 301
    for rows in (report.by_source, report.by_seat, report.by_ply):
        assert sum(row.positions for row in rows.values()) == count
        assert sum(row.decisive for row in rows.values()) == report.total.decisive
    assert list(report.by_source) == ["random play", "minimax 2", "own games"]
    better = grade("perfect:0.1", positions=300).total
    assert report.total.optimal_interval[1] < better.optimal_interval[0]
    assert str(report) == str(grade("random", positions=301, seed=2))
    assert "random play" in str(report) and "<table>" in report._repr_html_()
    assert report.to_dict()["total"]["positions"] == count


def test_symmetric_positions_share_a_key() -> None:
    board = mijnlieff.Board.from_text("####\n####\n##..\n##..")
    for variant in (Variant(), Variant(board)):
        images = variant.action_symmetries
        games = [Position(variant)] * len(images)
        rng = np.random.default_rng(0)
        kept: set[bytes] = set()
        while not games[0].is_over:
            action = rng.choice(games[0].legal_actions())
            games = [
                game.play(int(image[action])) for game, image in zip(games, images, strict=True)
            ]
            keys = canonical_keys(games)
            assert len(set(keys)) == 1
            kept.add(keys[0])
        assert len(kept) == games[0].ply  # positions of different plies differ
    assert canonical_keys([]) == []
    # The same stones and allowed cells, but Light has other pieces left.
    twins = [Position.from_actions([first, "a2x"]) for first in ("a1+", "a1><", "a1+")]
    keys = canonical_keys(twins)
    assert keys[0] != keys[1] and keys[0] == keys[2]
    np.testing.assert_array_equal(*(twin.observation()[:3] for twin in twins[:2]))


def test_a_player_without_chance_is_asked_about_distinct_positions() -> None:
    policy = First()
    decisions = Decisions(policy, (3,))
    drawn = decisions.draw(300) + decisions.draw(300)
    assert len(set(canonical_keys(drawn))) == len(drawn) == 600
    # An eighth of the games of both draws start without random plies, so all but one are repeats.
    assert decisions.repeats >= 2 * (300 // 8) - 1
    plies = np.array([position.ply for position in drawn])
    assert set(range(2, 14)) <= set(plies.tolist()) and (plies < 8).mean() > 0.2
    report = grade(policy, positions=90)
    keys = canonical_keys(policy.asked[-1])
    assert len(set(keys)) == len(keys) == 30
    assert report.repeats["own games"] > 0 and list(report.repeats) == list(report.by_source)
    assert f"{report.total.positions} distinct positions" in str(report)


def test_parts_of_a_source_have_different_openings() -> None:
    for count in (2, 3):
        shares = [(number, count) for number in range(count)]
        parts = [Decisions(RandomPolicy(), (4, *share), share=share) for share in shares]
        assert [len(part.draw(100)) for part in parts] == [100] * count
        openings = [part._openings for part in parts]
        assert all(openings) and len(set().union(*openings)) == sum(map(len, openings))
    report = grade("random", positions=6_000)  # two parts for each source
    assert 5_800 < report.total.positions <= 6_000


@pytest.mark.parametrize("name", ["random", "minimax:1"])
def test_positions_are_distinct_across_sources(name: str) -> None:
    variant = Variant(mijnlieff.Board.from_text("###\n###"), copies=2)
    report = grade(name, positions=600, variant=variant)
    left_out = sum(report.repeats.values())
    assert report.total.positions < 600 and left_out >= 600 - report.total.positions


def all_decisions(variant: Variant) -> set[bytes]:
    """The keys of all positions of a variant with two or more legal actions."""
    found: set[bytes] = set()
    layer = [Position(variant)]
    while layer:
        choices = [position for position in layer if len(position.legal_actions()) > 1]
        found.update(canonical_keys(choices))
        after = [one.play(int(action)) for one in layer for action in one.legal_actions()]
        running = [position for position in after if not position.is_over]
        layer = list(dict(zip(canonical_keys(running), running, strict=True)).values())
    return found


def test_small_boards_have_fewer_positions() -> None:
    variant = Variant(mijnlieff.Board.from_text("##\n##"), copies=1)
    distinct = len(all_decisions(variant))
    for positions in (4_000, 10_000):
        found = grade("random", positions, variant=variant).total.positions
        # Openings are taken once each, so a few rare positions may be missed.
        assert 0.8 * distinct < found <= distinct
    # Long openings leave no choice on this board, and a few games have only those at first.
    stairs = Variant(mijnlieff.Board.from_text("##..\n..##"), copies=1)
    assert grade("random", positions=5, variant=stairs).total.positions == 5


def test_bad_input() -> None:
    with pytest.raises(ValueError, match="at least 3"):
        grade("random", positions=2)
    with pytest.raises(ValueError, match="seed"):
        grade("random", positions=3, seed=-1)
    with pytest.raises(ValueError, match="no turn with two legal actions"):
        grade("random", variant=Variant(mijnlieff.Board.from_text("#"), "corner_straight"))

    class Bad:
        def act(self, position: Position) -> int:
            return 64

    with pytest.raises(errors.PolicyError, match="64"):
        grade(Bad(), positions=3)


def test_a_tablebase_is_refused_where_nothing_is_solved(tmp_path, capsys) -> None:
    path = tmp_path / "table"
    table = Tablebase.build(path, Variant(Board.from_text("##/##"), copies=1))
    for positions in (None, "irregular-v1", mijnlieff.benchmark("standard-v1")):
        with pytest.raises(ValueError, match="v1' has the exact margins of its positions, so a"):
            grade("greedy", positions, tablebase=table)
    assert main(["grade", "greedy", "--tablebase", str(path)]) == 2
    assert "leave it out, or give a number of positions" in capsys.readouterr().err


def test_commands(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["grade", "greedy", "--positions", "30", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["total"]["positions"] == 30
    assert main(["grade", "greedy", "--positions", "30"]) == 0
    assert "mean regret" in capsys.readouterr().out
    assert main(["solve"]) == 0
    assert "Light to move loses, margin -1" in capsys.readouterr().out
    assert main(["solve", "1. b2<>", "--opening", "anywhere", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["margin"] == -1
    assert main(["solve", "--board", "blocks:0,0;2,0;4,0;0,2;2,2", "--max-nodes", "100"]) == 1
    assert "proven" in capsys.readouterr().err
    assert main(["solve", "1. b2+"]) == 1
    assert main(["solve", "1. b2"]) == 2
    assert main(["solve", "--max-seconds", "-1"]) == 2


def test_without_a_number_the_positions_are_those_of_everyone(monkeypatch):
    assert (
        grade("random").benchmark == grade("random", variant=Variant()).benchmark == "standard-v1"
    )
    monkeypatch.setattr("mijnlieff.evaluation.grading._POSITIONS", 6)
    report = grade("random", variant=Variant(opening="corner"))
    assert report.benchmark is None and report.total.positions == 6


def test_a_name_tells_that_the_search_solves_endings():
    named = grade("champion:2", positions=3).policy
    assert (named, grade("champion", positions=3).policy) == ("champion:2 + solver", "champion")
