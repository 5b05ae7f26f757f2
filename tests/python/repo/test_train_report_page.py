"""What docs/training.md shows: measures and tables, at a small size."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

from tools.measure import runs, training
from tools.measure.device import device_measures
from tools.measure.processor import machine, processor
from tools.pages import training as page
from tools.players import MODES

pytestmark = pytest.mark.torch

NAME = "results/training/0.05-minutes.md"
SUMMARY = "results/training/summary.md"
SMALL = ["--num-envs", "16", "--width", "16", "--blocks", "1", "--minibatch-size", "16"]


@pytest.fixture
def measure(monkeypatch):
    few = {"exact": ["--reuse", "1"], "pure": ["--knowledge", "pure", "--num-simulations", "2"]}
    for kind, options in few.items():
        monkeypatch.setitem(runs.OPTIONS, kind, [*options, *SMALL])
    # Games in place of minutes, so that a slow machine learns as much.
    command = property(
        lambda self: [
            *("train", "--games", "96", *runs.OPTIONS[self.kind], "--seed", "1"),
            *(["--device", self.device] if self.device else []),
        ]
    )
    monkeypatch.setattr(runs.Training, "command", command)

    def run(*line: str) -> None:
        monkeypatch.setattr(sys, "argv", ["training.py", *line])
        training.main()

    return run


def test_the_tables_show_what_was_measured(measure, tmp_path, capsys):
    trained, docs = tmp_path / "runs", tmp_path / "docs"
    results = docs / "results" / "training"
    line = ["--runs", str(trained), "--results", str(results), "--minutes", "0.05", "--seeds", "1"]
    line += ["--games", "4", "--points", "20", "--final-games", "2"]
    measure(*line, "--positions", "60")
    made = page.files(docs)
    assert made.keys() == {"training.svg", NAME, SUMMARY}
    assert made["training.svg"].endswith("</svg>\n")
    for mode in MODES.values():
        assert mode in made[SUMMARY]
    tables = made[NAME]
    for mode in MODES.values():
        assert tables.count(f"| {mode}, 1 |") == 2 + 1 + 2 + 1  # grades, as Dark, matches, speeds
        assert f"The run with {mode} and seed 1, by ply:" in tables
    assert "* seed 1: `mijnlieff train --minutes 0.05 --knowledge pure" in tables
    assert "--num-simulations 2" in tables
    kept = json.loads((results / "pure-0.05-minutes-seed-1.json").read_text())
    assert len(kept["curve"]) >= 2
    assert tables.count(f"`, on {processor()}\n") == 2

    # A run of other settings is not measured as if it were the one that is asked for.
    elsewhere = ["--results", str(tmp_path / "elsewhere"), "--positions", "60"]
    with pytest.raises(SystemExit, match=r"seed-1 has .*'final_games': 2}, not .*remove it first"):
        measure(*line, "--final-games", "4", *elsewhere)

    # No run with results is made again.
    shutil.rmtree(trained)
    measure(*line, "--positions", "60")
    assert page.files(docs) == made and not trained.exists()

    # A remark of a run is shown with its command.
    file = results / "exact-0.05-minutes-seed-1.json"
    file.write_text(json.dumps(json.loads(file.read_text()) | {"remark": "made at night."}))
    assert "* exact labels, 1: made at night.\n" in page.files(docs)[NAME]

    # Results of another size are not mixed up with these.
    with pytest.raises(SystemExit):
        measure(*line, "--positions", "90")
    assert "seed-1.json has {'positions': 60, 'games': 4}, not" in capsys.readouterr().err


def test_runs_on_a_device_have_rows_and_rates_beside_the_others(measure, monkeypatch, tmp_path):
    calls: list[str] = []

    def few_measures(device: str):
        calls.append(device)
        return device_measures(device, seconds=0.0, counts=(4, 8))

    monkeypatch.setattr(training, "device_measures", few_measures)
    docs = tmp_path / "docs"
    line = ["--runs", str(tmp_path / "runs"), "--results", str(docs / "results" / "training")]
    line += ["--minutes", "0.05", "--seeds", "1", "--games", "2", "--points", "2"]
    line += ["--final-games", "2", "--positions", "30", "--modes", "pure", "--device", "cpu"]
    measure(*line)
    measure(*line)
    assert calls == ["cpu"]  # what was measured is kept
    made = page.files(docs)
    assert f"--device cpu`, on {machine('cpu')}\n" in made[NAME]
    assert made[NAME].count("| pure self-play on cpu, 1 |") == 2 + 1 + 2 + 1
    assert "| pure self-play on cpu " in made[SUMMARY]
    rates = made["results/training/devices.md"]
    assert f"| a second, on {machine('cpu')} |" in rates
    rows = [[cell.strip() for cell in row.split("|")[1:-1]] for row in rates.splitlines()[2:]]
    by_name = {(row[0], row[1]): row[2:] for row in rows}
    for size in ("64 units, 2 blocks", "96 units, 3 blocks"):
        for counted in ("evaluations", "simulations"):
            for count in "48":
                assert all(by_name[f"{counted}, {size}", count])
        assert [bool(rate) for rate in by_name[f"samples learned, {size}, bfloat16", "4"]] == [
            *(False, True, True)
        ]
        assert by_name[f"samples learned, {size}, bfloat16", "2"][2]
    assert by_name["steps of games, packed observations", "8"][2]


def test_only_runs_on_a_device_have_its_settings(tmp_path):
    plain = runs.Training("exact", 10, 0, tmp_path)
    on_device = runs.Training("exact", 10, 0, tmp_path, device="cuda")
    assert not {"--device", "--width"} & set(plain.command)
    assert on_device.command[-4:] == ["--device", "cuda", "--seed", "0"]
    assert on_device.folder.name == "exact-10-minutes-cuda-seed-0"


def test_only_runs_with_exact_labels_look_them_up(tmp_path):
    looks_up = ["--num-threads", "2", "--tablebase", "some.tablebase"]
    for kind, expected in (("exact", looks_up), ("pure", [])):
        run = runs.Training(kind, 10, 0, tmp_path, tablebase=Path("some.tablebase"))
        plain = runs.Training(kind, 10, 0, tmp_path)
        assert [word for word in run.command if word not in plain.command] == expected
        assert run.folder == plain.folder


def test_a_run_that_fails_stops_the_measures(monkeypatch, tmp_path):
    monkeypatch.setitem(runs.OPTIONS, "exact", ["--width", "-1"])
    failing = runs.Training("exact", 0.05, 0, tmp_path)
    with pytest.raises(subprocess.CalledProcessError, match="exit status 2"):
        failing.make(points=2, final_games=2)
    assert not failing.is_finished
