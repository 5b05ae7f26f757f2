"""What docs/baselines.md shows: measures and tables, at a small size."""

from __future__ import annotations

import importlib.util
import json
import math
import platform
import shutil
import sys

import numpy as np
import pytest

from mijnlieff import NetworkPolicy, RandomPolicy, evaluate
from mijnlieff.evaluation.ladder import (
    LADDER,
    OPTIMAL_SHARES,
    fit_rating,
    rating_of,
    strongest_below,
)
from mijnlieff.evaluation.statistics import fit_ratings
from mijnlieff.policies.searches import ending_options

pytest.importorskip("torch")

from tools.measure import baseline_measures, baseline_players, baselines
from tools.measure.processor import processor
from tools.pages import baselines as page
from tools.results import RESULTS, read_results

pytestmark = pytest.mark.torch

NETWORK = "alphazero exact, 0.001 min"


@pytest.fixture
def measure(monkeypatch, tmp_path):
    """Measure a few players at a small size, with further options of the program."""
    monkeypatch.setattr(baseline_measures, "HORIZONS", (1, 1))
    monkeypatch.setattr(baseline_players, "GAMES", 30)
    monkeypatch.setattr(baseline_players, "CLONING_MINUTES", 0.001)
    monkeypatch.setattr(baseline_players, "SB3_STEPS", 20 * 32 * 256)
    wanted = [
        one
        for one in baseline_players.baselines([0.001], [0, 1], tmp_path / "trained", 2)
        if one.name in ("random", "minimax:1", "labels", NETWORK) or one.name.startswith("sb3")
    ]
    monkeypatch.setattr(baselines, "baselines", lambda *_: wanted)

    def run(*options: str) -> None:
        folders = ["--runs", str(tmp_path / "runs"), "--results", str(results_in(tmp_path))]
        monkeypatch.setattr(sys, "argv", ["baselines.py", *folders, "--games", "8", *options])
        baselines.main()

    return run


def results_in(folder):
    return folder / "results" / "baselines"


def tables_in(folder):
    """The tables of grades, of worst cases and of costs, from the results."""
    made = page.files(folder)
    return [made[f"results/baselines/{name}.md"] for name in ("grades", "worst_cases", "costs")]


def test_the_tables_show_what_was_measured(measure, tmp_path, capsys):
    measure()
    has_sb3 = importlib.util.find_spec("sb3_contrib") is not None
    made = page.files(tmp_path)
    assert all(text.endswith("</svg>\n") for name, text in made.items() if name.endswith(".svg"))
    grades, ratings, costs = tables_in(tmp_path)
    seeds = {name: f"| `{name}` | 2 |" for name in ("labels", NETWORK)}
    assert all(row in grades for row in seeds.values()) and "| `random` | 1 | 40.7 %" in grades
    assert "| `random` | -" in ratings and "| `minimax:1` | +" in ratings
    assert ratings.count("not measured yet") == 0
    assert "mijnlieff train --minutes 0.001 --knowledge exact" in costs
    assert costs.count(f"| {processor()} |") == 2 + has_sb3
    assert has_sb3 or "mijnlieff[sb3]" in capsys.readouterr().out

    # A part can be made alone.
    with pytest.raises(SystemExit):
        measure("--players", "minimax:9")
    assert "unknown players ['minimax:9']; choose from random, minimax:1" in capsys.readouterr().err
    measure("--players", "random")
    assert capsys.readouterr().out == "random\n"

    # Nothing is measured twice.
    run = tmp_path / "runs"
    shutil.rmtree(run)
    shutil.rmtree(tmp_path / "trained")
    measure()
    assert page.files(tmp_path) == made
    assert not run.exists() or not list(run.rglob("*.bin"))


def test_a_part_that_is_missing_is_measured_later(measure, tmp_path):
    measure("--players", "labels", "random", "--no-worst")
    _, ratings, _ = tables_in(tmp_path)
    assert ratings.count("| not measured yet |") == 2
    files = [results_in(tmp_path) / f"labels-seed-{seed}.json" for seed in (0, 1)]
    first, second = (json.loads(file.read_text()) for file in files)
    assert "rating" in first and "rating" not in second

    # It is measured of the player that is still there, or all is measured of another one.
    (tmp_path / "runs" / "labels-seed-0" / "network.bin").unlink()
    measure("--players", "labels")
    assert json.loads(files[0].read_text()) == first
    assert {"worst"} == json.loads(files[1].read_text()).keys() - second.keys()
    for seed, file in enumerate(files):
        content = json.loads(file.read_text())
        content["grade"]["regret"] = 99.0
        content.pop("worst", None)
        file.write_text(json.dumps(content))
        (tmp_path / "runs" / f"labels-seed-{seed}" / "network.bin").unlink(missing_ok=True)
    measure("--players", "labels")
    made, kept = (json.loads(file.read_text()) for file in files)
    assert made["grade"]["regret"] != 99.0 and {"worst", "rating"} <= made.keys()
    assert kept["grade"]["regret"] == 99.0


def test_remarks_are_in_the_tables(measure, tmp_path):
    measure("--no-worst", "--players", "labels")
    for name, remark in {"ratings": "Rated twice.", "labels-seed-1": "made at night."}.items():
        file = results_in(tmp_path) / f"{name}.json"
        file.write_text(json.dumps(json.loads(file.read_text()) | {"remark": remark}))
    _, ratings, costs = tables_in(tmp_path)
    assert "* `labels`, seed 1: made at night." in costs.splitlines()
    assert ratings.startswith("Rated twice.\n\n|")


@pytest.mark.parametrize(("solve_below", "horizon"), [(0, 1), (16, None)])
def test_a_search_that_solves_nothing_is_followed_to_a_ply(monkeypatch, solve_below, horizon):
    monkeypatch.setattr(baseline_measures, "SEARCH_HORIZON", 1)

    def evaluate(observations, masks):
        return np.zeros(masks.shape, dtype=np.float32), np.zeros(len(masks), dtype=np.float32)

    worst = baseline_measures.worst_case(
        NetworkPolicy(evaluate, search=ending_options(1, solve_below))
    )
    assert worst["horizon"] == horizon and worst["margin"] == 1


def test_a_processor_is_named_by_what_linux_says(tmp_path):
    file = tmp_path / "cpuinfo"
    file.write_text(
        "processor\t: 0\nmodel name\t: Intel(R) Xeon(R) Processor @ 2.60GHz\n"
        "flags\t\t: fpu avx2 avx512f amx_tile\n\n"
    )
    assert processor(file) == "Intel Xeon with AMX"
    file.write_text("model name\t: AMD EPYC 7B13\nflags\t\t: fpu avx2\n")
    assert processor(file) == "AMD EPYC 7B13 with AVX2"
    assert processor(tmp_path / "none") == platform.machine() != ""


def test_a_rating_is_fitted_to_known_ones():
    share = 1 / (1 + 10 ** (-200 / 400))
    elo, error = fit_rating([share, 1 - share], [-100.0, 300.0], 50)
    assert elo == pytest.approx(100, abs=1e-3)
    assert error == pytest.approx(400 / math.log(10) / math.sqrt(100 * share * (1 - share)))
    points = np.zeros((3, 3))
    points[0], points[1, 0], points[2, 0] = (0, 30, 15), 20, 35
    points[1, 2], points[2, 1] = 10, 40
    together = fit_ratings(points)  # a rating that fits all matches fits those with the others
    alone, _ = fit_rating([0.6, 0.3], list(together.elo[1:]), 50)
    assert alone == pytest.approx(together.elo[0], abs=1e-3)
    assert fit_rating([0.75, 0.25], [0.0, 0.0], 50)[0] == pytest.approx(0, abs=1e-5)
    for scores in ([0.0, 0.0], [1.0, 1.0]):
        with pytest.raises(ValueError, match="fits no finite rating"):
            fit_rating(scores, [0.0, 100.0], 50)


def test_the_ladder_has_the_ratings_that_were_measured():
    measured = read_results(RESULTS / "baselines" / "ratings.json")["ratings"]
    assert list(LADDER) == sorted(LADDER, key=LADDER.__getitem__)
    assert {name: measured[name]["elo"] for name in measured} == LADDER
    assert [strongest_below(elo) for elo in (-707, -706, -236, 1000)] == [
        None,
        "random",
        "minimax:3",
        "champion:64",
    ]
    match = evaluate("greedy", "random", games=200)
    unknown = evaluate("greedy", "perfect:0.5", games=2)
    for matches in ([match], [unknown, match]):
        elo, reach = rating_of(matches)
        assert elo == pytest.approx(LADDER["random"] + match.elo)
        error = 400 / math.log(10) / math.sqrt(200 * match.score * (1 - match.score))
        assert reach == pytest.approx(1.96 * error, rel=1e-4)
    assert rating_of([evaluate("perfect", "random", games=2)]) is None
    assert rating_of([evaluate("random", "rollouts:2", games=2)]) is None
    assert rating_of([]) is None


def test_shares_to_compare_with_are_those_that_were_measured():
    for name, share in OPTIMAL_SHARES.items():
        file = name.removesuffix(" + solver").replace(":", "-")
        grade = read_results(RESULTS / "baselines" / f"{file}.json")["grade"]
        assert share == round(grade["optimal"], 3), name


def test_a_damaged_file_of_results_is_not_hidden(tmp_path):
    (tmp_path / "random.json").write_text("{")
    player = baseline_players.Baseline("random", None, lambda _: RandomPolicy())
    with pytest.raises(ValueError, match="Expecting"):
        baselines.measure_all([player], tmp_path, tmp_path, {})
