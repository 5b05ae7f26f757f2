"""The tool that writes docs/training.md, at a small size."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys

import pytest

pytest.importorskip("torch")

pytestmark = pytest.mark.torch

SMALL = ["--num-envs", "16", "--width", "16", "--blocks", "1", "--minibatch-size", "16"]


@pytest.fixture
def tool(tools_on_path, monkeypatch, tmp_path):
    import make_training
    import report_runs

    few = {"exact": ["--reuse", "1"], "pure": ["--knowledge", "pure", "--num-simulations", "2"]}
    for kind, options in few.items():
        monkeypatch.setitem(report_runs.OPTIONS, kind, [*options, *SMALL])
    # Games in place of minutes, so that a slow machine learns as much.
    command = property(
        lambda self: ["train", "--games", "96", *report_runs.OPTIONS[self.kind], "--seed", "1"]
    )
    monkeypatch.setattr(report_runs.Training, "command", command)
    return make_training


def test_the_page_shows_finished_runs_and_names_the_rest(tool, monkeypatch, tmp_path, capsys):
    from processor import processor

    runs, docs = tmp_path / "runs", tmp_path / "docs"
    line = ["make_training.py", "--runs", str(runs), "--docs", str(docs), "--minutes", "0.05"]
    line += ["--positions", "60", "--games", "4", "--points", "20", "--final-games", "2"]
    monkeypatch.setattr(sys, "argv", [*line, "--seeds", "1"])
    tool.main()
    page = (docs / "training.md").read_text()
    assert "Not made yet" not in page and (docs / "training.svg").exists()
    for mode in tool.MODES.values():
        assert page.count(f"| {mode}, 1 |") == 2 + 1 + 2 + 1  # grades, as Dark, matches, speeds
        assert f"The run with {mode} and seed 1, by ply:" in page
    assert "* seed 1: `mijnlieff train --minutes 0.05 --knowledge pure --network symmetric" in page
    assert "--num-simulations 2" in page
    results = docs / "results" / "training"
    kept = json.loads((results / "pure-0.05-minutes-seed-1.json").read_text())
    assert len(kept["curve"]) >= 2

    assert page.count(f"`, on {processor()}\n") == 2

    # The results are enough to write the page, and no run with results is made again.
    shutil.rmtree(runs)
    monkeypatch.setattr(sys, "argv", [*line, "--seeds", "1"])
    tool.main()
    assert (docs / "training.md").read_text() == page and not runs.exists()
    monkeypatch.setattr(sys, "argv", [*line, "--seeds", "1", "2", "--only-page"])
    tool.main()
    missing = "Not made yet: `exact-0.05-minutes-seed-2`, `pure-0.05-minutes-seed-2`."
    assert missing in (docs / "training.md").read_text() and not runs.exists()

    # A remark of a run is shown with its command.
    file = results / "exact-0.05-minutes-seed-1.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"remark": "made at night."}))
    tool.main()
    assert "* exact labels, 1: made at night.\n" in (docs / "training.md").read_text()

    # Results of another size are not mixed up with these.
    monkeypatch.setattr(sys, "argv", [*line, "--seeds", "1", "--positions", "90"])
    with pytest.raises(SystemExit):
        tool.main()
    assert "seed-1.json has {'positions': 60, 'games': 4}, not" in capsys.readouterr().err


def test_a_run_that_fails_stops_the_report(tool, monkeypatch, tmp_path):
    import report_runs

    monkeypatch.setitem(report_runs.OPTIONS, "exact", ["--width", "-1"])
    training = report_runs.Training("exact", 0.05, 0, tmp_path)
    with pytest.raises(subprocess.CalledProcessError, match="exit status 2"):
        training.make(points=2, final_games=2)
    assert not training.is_finished
