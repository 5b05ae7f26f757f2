"""The tool that measures changes of an example, without training."""

from __future__ import annotations

import sys

import pytest

pytest.importorskip("torch")

from tools.measure import ablations
from tools.results import read_results

pytestmark = pytest.mark.torch


def test_what_was_measured_with_other_settings_is_refused(monkeypatch, tmp_path, capsys):
    def untrained(example):
        example.train = lambda *args: None

    def run(*line: str) -> None:
        argv = ["ablations.py", "--changes", "turned", "--seeds", "3", "--results", str(tmp_path)]
        monkeypatch.setattr(sys, "argv", [*argv, *line])
        ablations.main()

    monkeypatch.setitem(ablations.CHANGES, "turned", untrained)
    monkeypatch.setattr(ablations.torch, "set_num_threads", lambda number: None)
    run("--steps", "5", "--games", "2")
    kept = read_results(tmp_path / "turned.json")
    assert (kept["3"]["steps"], kept["3"]["games"]) == (5, 2)
    run("--steps", "5", "--games", "2")
    for line in (["--steps", "6", "--games", "2"], ["--steps", "5", "--games", "4"]):
        with pytest.raises(SystemExit):
            run(*line)
        told = capsys.readouterr().err
        assert "turned.json has {'steps': 5, 'games': 2} for seed 3, not {'steps'" in told
        assert "remove it first" in told
    assert read_results(tmp_path / "turned.json") == kept
