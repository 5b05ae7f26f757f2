"""The tool that compares settings of training, at a small size."""

from __future__ import annotations

import sys

import pytest

pytest.importorskip("torch")

from tools.measure import runs, tuning

pytestmark = pytest.mark.torch

SMALL = ["--knowledge", "pure", "--num-envs", "16", "--width", "16", "--blocks", "1"]


@pytest.fixture
def tool(monkeypatch):
    monkeypatch.setitem(runs.OPTIONS, "pure", [*SMALL, "--minibatch-size", "16"])
    return tuning


def run(tool, monkeypatch, *line: str) -> None:
    monkeypatch.setattr(sys, "argv", ["tuning.py", *line])
    tool.main()


def test_it_compares_a_change_with_none(tool, monkeypatch, tmp_path, capsys):
    line = ["pure", "reuse=0.5,num_simulations=2", "--minutes", "0.05", "--seeds", "3"]
    line += ["--jobs", "2", "--runs", str(tmp_path)]
    run(tool, monkeypatch, *line)
    *_, head, _, plain, changed = capsys.readouterr().out.strip().splitlines()
    assert head.count("|") == plain.count("|") == changed.count("|") == 6
    assert plain.startswith("| none |")
    assert changed.startswith("| `reuse=0.5`, `num_simulations=2` |")
    names = [f"pure-0.05-minutes-{part}seed-3" for part in ("", "reuse=0.5-num_simulations=2-")]
    assert [(tmp_path / name / "tuned.json").exists() for name in names] == [True, True]
    training = tool.Training("pure", 0.05, 3, tmp_path, changes=("reuse=0.5", "num_simulations=2"))
    assert training.folder.name == names[1]
    assert (training.config["reuse"], training.config["num_simulations"]) == (0.5, 2)

    # Finished runs are not made again.
    before = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("checkpoint.pt")}
    run(tool, monkeypatch, *line)
    assert capsys.readouterr().out.strip().splitlines()[-1] == changed
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("checkpoint.pt")} == before


@pytest.mark.parametrize("change", ["reuse", "reuse=", "reused=2", "reuse=2,"])
def test_it_refuses_what_is_not_a_setting(tool, monkeypatch, capsys, change):
    with pytest.raises(SystemExit):
        run(tool, monkeypatch, "pure", change)
    assert "must be name=value" in capsys.readouterr().err


def test_jobs_share_the_cores(tool, monkeypatch):
    monkeypatch.setattr(tool.os, "sched_getaffinity", lambda _: {0, 2, 3, 5, 7}, raising=False)
    assert tool.shares_of_cores(2) == [{0, 2}, {3, 5}]
    assert tool.shares_of_cores(1) == [{0, 2, 3, 5, 7}]
    assert tool.shares_of_cores(7) == [{0}, {2}, {3}, {5}, {7}, {0}, {2}]
