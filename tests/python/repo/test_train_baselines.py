"""The tool that writes docs/baselines.md, at a small size."""

from __future__ import annotations

import importlib.util
import json
import math
import platform
import shutil
import sys
from functools import partial

import numpy as np
import pytest

from mijnlieff import MCTSPolicy
from mijnlieff.evaluation.statistics import fit_ratings

pytest.importorskip("torch")

pytestmark = pytest.mark.torch

NETWORK = "alphazero exact, 0.001 min"


@pytest.fixture
def tool(tools_on_path, monkeypatch, tmp_path):
    import baseline_measures
    import baseline_players
    import make_baselines

    monkeypatch.setattr(baseline_measures, "HORIZONS", (1, 1))
    monkeypatch.setattr(baseline_players, "LABEL_GAMES", 30)
    monkeypatch.setattr(baseline_players, "CLONING_MINUTES", 0.001)
    monkeypatch.setattr(baseline_players, "SB3_STEPS", 20 * 32 * 256)
    monkeypatch.setattr(make_baselines, "PAGE", tmp_path / "page.md")
    monkeypatch.setattr(make_baselines, "RESULTS", tmp_path / "results")
    plots = {name: tmp_path / path.name for name, path in make_baselines.PLOTS.items()}
    monkeypatch.setattr(make_baselines, "PLOTS", plots)
    wanted = [
        one
        for one in baseline_players.baselines([0.001], [0, 1], tmp_path / "trained", 2)
        if one.name in ("random", "minimax:1", "labels", NETWORK) or one.name.startswith("sb3")
    ]
    monkeypatch.setattr(make_baselines, "baselines", lambda *_: wanted)
    return make_baselines


def test_the_page_shows_what_is_finished_and_names_the_rest(tool, monkeypatch, tmp_path, capsys):
    from processor import processor

    run = tmp_path / "runs"
    line = ["make_baselines.py", "--runs", str(run), "--games", "2"]
    monkeypatch.setattr(sys, "argv", line)
    tool.main()
    page = (tmp_path / "page.md").read_text()
    has_sb3 = importlib.util.find_spec("sb3_contrib") is not None
    grades = page[page.index("## Grades") : page.index("## Ratings")]
    seeds = {name: f"| `{name}` | 2 |" for name in ("labels", NETWORK)}
    assert all(row in grades for row in seeds.values()) and "| `random` | 1 | 40.7 %" in grades
    ratings = page[page.index("## Ratings") : page.index("## Costs")]
    assert "| `random` | -" in ratings and "| `minimax:1` | +" in ratings
    assert ratings.count("not measured yet") == 0
    assert "mijnlieff train --minutes 0.001 --knowledge exact --network cells" in page
    assert page[page.index("## Costs") :].count(f"| {processor()} |") == 2 + has_sb3
    assert page.count(".svg)") == 2 and all(path.exists() for path in tool.PLOTS.values())
    assert ("Not measured yet: `sb3 MaskablePPO` (seed 0 and 1)." in page) == (not has_sb3)
    assert has_sb3 or "mijnlieff[sb3]" in capsys.readouterr().out

    # A part can be made alone, without the page or without the worst cases.
    monkeypatch.setattr(sys, "argv", [*line, "--players", "minimax:9"])
    with pytest.raises(SystemExit):
        tool.main()
    assert "unknown players ['minimax:9']; choose from random, minimax:1" in capsys.readouterr().err
    (tmp_path / "page.md").unlink()
    monkeypatch.setattr(sys, "argv", [*line, "--players", "random", "--no-page"])
    tool.main()
    assert capsys.readouterr().out == "random\n" and not (tmp_path / "page.md").exists()

    # Nothing is measured twice, and the results are enough for the same page.
    shutil.rmtree(run)
    shutil.rmtree(tmp_path / "trained")
    for options in ([], ["--only-page"]):
        monkeypatch.setattr(sys, "argv", [*line, *options])
        tool.main()
        assert (tmp_path / "page.md").read_text() == page
    assert not run.exists() or not list(run.rglob("*.bin"))


def test_a_part_that_is_missing_is_measured_later(tool, monkeypatch, tmp_path):
    line = ["make_baselines.py", "--runs", str(tmp_path / "runs"), "--games", "2", "--players"]
    monkeypatch.setattr(sys, "argv", [*line, "labels", "random", "--no-worst"])
    tool.main()
    page = tmp_path / "page.md"
    assert page.read_text().count("| not measured yet |") == 2
    assert "What to remember" not in page.read_text()  # it needs more players
    files = [tmp_path / "results" / f"labels-seed-{seed}.json" for seed in (0, 1)]
    first, second = (json.loads(file.read_text()) for file in files)
    assert "rating" in first and "rating" not in second

    # It is measured of the player that is still there, or all is measured of another one.
    (tmp_path / "runs" / "labels-seed-0" / "network.bin").unlink()
    monkeypatch.setattr(sys, "argv", [*line, "labels"])
    tool.main()
    assert json.loads(files[0].read_text()) == first
    assert {"worst"} == json.loads(files[1].read_text()).keys() - second.keys()
    for seed, file in enumerate(files):
        content = json.loads(file.read_text())
        content["grade"]["regret"] = 99.0
        content.pop("worst", None)
        file.write_text(json.dumps(content))
        (tmp_path / "runs" / f"labels-seed-{seed}" / "network.bin").unlink(missing_ok=True)
    tool.main()
    made, kept = (json.loads(file.read_text()) for file in files)
    assert made["grade"]["regret"] != 99.0 and {"worst", "rating"} <= made.keys()
    assert kept["grade"]["regret"] == 99.0


def test_remarks_are_on_the_page(tool, monkeypatch, tmp_path):
    line = ["make_baselines.py", "--runs", str(tmp_path / "runs"), "--games", "2", "--no-worst"]
    monkeypatch.setattr(sys, "argv", [*line, "--players", "labels"])
    tool.main()
    for name, remark in {"ratings": "Rated twice.", "labels-seed-1": "made at night."}.items():
        file = tmp_path / "results" / f"{name}.json"
        file.write_text(json.dumps(json.loads(file.read_text()) | {"remark": remark}))
    monkeypatch.setattr(sys, "argv", [*line, "--only-page"])
    tool.main()
    lines = (tmp_path / "page.md").read_text().splitlines()
    assert "* `labels`, seed 1: made at night." in lines and "Rated twice." in lines


@pytest.mark.parametrize(("solve_below", "horizon"), [(0, 1), (16, None)])
def test_a_search_that_solves_nothing_is_followed_to_a_ply(
    tools_on_path, monkeypatch, solve_below, horizon
):
    import baseline_measures

    monkeypatch.setattr(baseline_measures, "SEARCH_HORIZON", 1)

    def evaluate(observations, masks):
        return np.zeros(masks.shape, dtype=np.float32), np.zeros(len(masks), dtype=np.float32)

    worst = baseline_measures.worst_case(MCTSPolicy(1, evaluate, solve_below=solve_below))
    assert worst["horizon"] == horizon and worst["margin"] == 1


def test_a_processor_is_named_by_what_linux_says(tools_on_path, tmp_path):
    from processor import processor

    file = tmp_path / "cpuinfo"
    file.write_text(
        "processor\t: 0\nmodel name\t: Intel(R) Xeon(R) Processor @ 2.60GHz\n"
        "flags\t\t: fpu avx2 avx512f amx_tile\n\n"
    )
    assert processor(file) == "Intel Xeon with AMX"
    file.write_text("model name\t: AMD EPYC 7B13\nflags\t\t: fpu avx2\n")
    assert processor(file) == "AMD EPYC 7B13 with AVX2"
    assert processor(tmp_path / "none") == platform.machine() != ""


def test_a_rating_is_fitted_to_known_ones(tools_on_path):
    from baseline_ratings import fit_rating

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
    for scores in ([0.0, 0.0], [1.0, 1.0]):
        with pytest.raises(ValueError, match="fits no finite rating"):
            fit_rating(scores, [0.0, 100.0], 50)


def test_a_damaged_file_of_results_is_not_hidden(tool, tmp_path):
    from baseline_players import Baseline, _built_in

    (tmp_path / "random.json").write_text("{")
    player = Baseline("random", None, partial(_built_in, "random"))
    with pytest.raises(ValueError, match="Expecting"):
        tool.measure_all([player], tmp_path, tmp_path, {})
