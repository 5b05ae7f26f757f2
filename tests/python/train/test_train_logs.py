"""Reports of a run: callbacks, the table, TensorBoard files and live plots."""

from __future__ import annotations

import csv
import re
import sys
import types
from pathlib import Path

import pytest

from mijnlieff import Board, Variant, load_policy
from mijnlieff.cli.main import main
from mijnlieff.errors import CheckpointError, MissingExtraError, TrainingError
from mijnlieff.train import Budget, LivePlot, TrainState, train
from mijnlieff.train.run.checkpoint import load_checkpoint
from mijnlieff.train.run.folder import RunFolder
from tiny_runs import TINY_OPTIONS, ppo_run, quiet, read_log, tiny, weights


class Recorder:
    """Records the numbers of every report."""

    def __init__(self) -> None:
        self.seen: list[tuple[float, bool, int, int]] = []

    def __call__(self, state: TrainState) -> None:
        self.seen.append((state.spent, state.is_last, len(state.log), len(state.curve)))


def read_csv(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def assert_the_table_is_the_log(out: Path) -> None:
    table, log = read_csv(out / "progress.csv"), read_log(out)
    assert len(table) == len(log) > 0
    for line, row in zip(table, log, strict=True):
        scores = row.pop("scores", {})
        for name, value in row.items():
            assert line.pop(name) == ("" if value is None else str(value))
        for opponent in ("random", "greedy", "minimax:2"):
            for key, end in (("score", ""), ("low", "_low"), ("high", "_high")):
                expected = str(scores[opponent][key]) if scores else ""
                assert line.pop(f"score_{opponent}{end}") == expected
        assert line == {}
    assert any(row["score_random"] for row in read_csv(out / "progress.csv"))


class TestReports:
    def test_every_round_is_reported_once(self, tmp_path, capsys):
        recorder = Recorder()
        state = ppo_run(tmp_path / "run", 3, on_report=recorder)
        assert [lines for _, _, lines, _ in recorder.seen] == [1, 2, 3]
        assert [last for _, last, _, _ in recorder.seen] == [False, False, True]
        assert recorder.seen[-1][0] == state.spent == 1.0
        assert recorder.seen[0][3] >= 1  # measured before the first round
        assert state.is_last and len(state.log) == 3
        assert state.log == read_log(tmp_path / "run")
        assert capsys.readouterr().err == ""
        assert load_policy(tmp_path / "run").act_batch([]).shape == (0,)

    def test_without_a_callback_progress_goes_to_standard_error(self, tmp_path, capsys):
        ppo_run(tmp_path / "run", 1, on_report=None)
        assert "games/s" in capsys.readouterr().err

    def test_what_a_report_raises_leaves_a_run_to_resume(self, tmp_path):
        def fail(state: TrainState) -> None:
            raise RuntimeError("the screen is full")

        with pytest.raises(RuntimeError, match="screen is full"):
            ppo_run(tmp_path / "run", 3, on_report=fail)
        state = ppo_run(tmp_path / "run", 3, resume=True)
        assert [row["round"] for row in state.log] == [1, 2, 3]
        assert_the_table_is_the_log(tmp_path / "run")


class TestTrain:
    def test_it_does_what_the_command_does(self, tmp_path):
        one, other = tmp_path / "one", tmp_path / "other"
        ppo_run(one, 2)
        options = ["--algo=ppo", "--games=32", *TINY_OPTIONS]
        assert main(["train", "--out", str(other), *options]) == 0
        configs = [load_checkpoint(out / "checkpoint.pt").config for out in (one, other)]
        assert configs[0] == configs[1]
        assert weights(one) == weights(other)

    def test_a_run_in_the_folder_is_not_lost(self, tmp_path):
        ppo_run(tmp_path, 2)
        before = (tmp_path / "checkpoint.pt").read_bytes()
        message = r"already holds a run: resume it \(resume=True, --resume\)"
        with pytest.raises(TrainingError, match=message):
            ppo_run(tmp_path, 1)
        with pytest.raises(ValueError, match="only one of resume and overwrite"):
            ppo_run(tmp_path, 1, resume=True, overwrite=True)
        assert (tmp_path / "checkpoint.pt").read_bytes() == before
        assert len(ppo_run(tmp_path, 1, overwrite=True).log) == 1
        assert len(read_csv(tmp_path / "progress.csv")) == 1

    def test_only_the_same_run_is_resumed(self, tmp_path):
        ppo_run(tmp_path, 1)
        with pytest.raises(CheckpointError, match="width 16, which cannot become 32"):
            train(tiny("ppo", width=32), Budget(games=1), tmp_path, resume=True)
        with pytest.raises(CheckpointError, match="trained on"):
            ppo_run(tmp_path, 1, resume=True, variant=Variant(Board.from_text("###\n###")))

    @pytest.mark.parametrize(
        ("wrong", "message"),
        [
            ({"config": "ppo"}, "config must be a TrainConfig, not 'ppo'"),
            ({"budget": 5}, "budget must be a Budget, not 5"),
            ({"variant": 4}, "variant must be a Variant, or its text or dict, not 4"),
            ({"boards": []}, r"boards must be a Boards, not \[\]"),
            ({"executor": "auto"}, "must be a concurrent.*Executor or None, not 'auto'"),
            ({"on_report": 5}, "on_report must be a function or None, not 5"),
            ({"tablebase": 5}, "tablebase must be a Tablebase, not 5"),
            ({"device": None}, "device must be a str, not None"),
            ({"out": None}, "out must be a path, not None"),
        ],
    )
    def test_wrong_types_are_named(self, wrong, message, tmp_path):
        out = tmp_path / "run"
        given = {"config": tiny("ppo"), "budget": Budget(games=1), "out": out} | wrong
        with pytest.raises(TypeError, match=message):
            train(**given)
        assert not out.exists()

    def test_a_path_with_a_null_character_is_named(self):
        with pytest.raises(ValueError, match=r"out must be a path without .*, not 'a\\x00b'"):
            train(tiny("ppo"), Budget(games=1), "a\0b")


class TestTable:
    def test_it_goes_on_after_a_kill(self, tmp_path):
        ppo_run(tmp_path, 3)
        assert_the_table_is_the_log(tmp_path)
        before = read_csv(tmp_path / "progress.csv")
        for name in ("log.jsonl", "progress.csv"):  # lines that a kill cut short
            with (tmp_path / name).open("a") as file:
                file.write('{"round": 4, "st' if name == "log.jsonl" else "4,0.")
        ppo_run(tmp_path, 5, resume=True)
        assert_the_table_is_the_log(tmp_path)
        assert read_csv(tmp_path / "progress.csv")[:3] == before
        assert [int(row["round"]) for row in read_csv(tmp_path / "progress.csv")] == [1, 2, 3, 4, 5]

    def test_a_run_without_one_gets_one(self, tmp_path):
        ppo_run(tmp_path, 2)
        (tmp_path / "progress.csv").unlink()
        ppo_run(tmp_path, 3, resume=True)
        assert_the_table_is_the_log(tmp_path)

    def test_rounds_without_losses_have_empty_fields(self, tmp_path):
        train(tiny(), Budget(games=32), tmp_path, tensorboard=False, on_report=quiet)
        assert_the_table_is_the_log(tmp_path)
        rows = read_csv(tmp_path / "progress.csv")
        assert rows[0]["policy_loss"] == "" and float(rows[1]["policy_loss"]) > 0


class TestTensorBoard:
    def test_its_files_hold_the_numbers_of_the_log(self, tmp_path):
        module = "tensorboard.backend.event_processing.event_accumulator"
        accumulators = pytest.importorskip(module)
        folder = RunFolder(tmp_path / "run")
        ppo_run(folder.path, 2, tensorboard=True)
        ppo_run(folder.path, 3, tensorboard=None, resume=True)
        events = accumulators.EventAccumulator(str(folder.tensorboard)).Reload()
        tags = events.Tags()["scalars"]
        assert {"score/minimax_2", "loss/value", "speed/games_per_second"} <= set(tags)
        log = read_log(folder.path)
        assert [row["round"] for row in log] == [1, 2, 3]
        losses = events.Scalars("loss/value")
        assert [event.step for event in losses] == [row["steps"] for row in log]
        assert [event.value for event in losses] == pytest.approx(
            [row["value_loss"] for row in log]
        )
        # A run that overwrites another one removes its files.
        ppo_run(folder.path, 1, tensorboard=None, overwrite=True)
        assert len(list(folder.tensorboard.iterdir())) == 1

    def test_asked_for_and_missing_it_is_an_error_before_anything_is_written(
        self, tmp_path, monkeypatch, capsys
    ):
        monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
        message = re.escape("pip install 'mijnlieff[tensorboard]'")
        with pytest.raises(MissingExtraError, match=message):
            ppo_run(tmp_path / "run", 1, tensorboard=True)
        assert main(["train", "--tensorboard", "--out", str(tmp_path / "run")]) == 1
        error = capsys.readouterr().err
        assert "pip install 'mijnlieff[tensorboard]'" in error and error.count("\n") == 1
        assert list(tmp_path.iterdir()) == []

    def test_missing_and_not_asked_for_it_is_left_out(self, tmp_path, monkeypatch):
        monkeypatch.setitem(sys.modules, "torch.utils.tensorboard", None)
        ppo_run(tmp_path / "run", 1, tensorboard=None)
        assert not (tmp_path / "run" / "tensorboard").exists()


class FakeNotebook:
    """A stand-in for IPython that records displayed pictures and their updates."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, shell: object = "a notebook") -> None:
        self.shown: list[bytes] = []
        self.updates: list[bytes] = []
        ipython, module = types.ModuleType("IPython"), types.ModuleType("IPython.display")
        ipython.get_ipython = lambda: shell
        ipython.display = module
        module.Image = lambda data, width: data
        module.display = self.display
        monkeypatch.setitem(sys.modules, "IPython", ipython)
        monkeypatch.setitem(sys.modules, "IPython.display", module)

    def display(self, image: bytes, display_id: bool) -> FakeNotebook:
        assert display_id is True
        self.shown.append(image)
        return self

    def update(self, image: bytes) -> None:
        self.updates.append(image)


class TestLivePlot:
    def test_one_figure_follows_the_run(self, tmp_path, monkeypatch):
        notebook = FakeNotebook(monkeypatch)
        ppo_run(tmp_path, 3, on_report=LivePlot(seconds=0))
        assert len(notebook.shown) == 1
        assert len(notebook.updates) == 2
        pictures = notebook.shown + notebook.updates
        assert all(picture.startswith(b"\x89PNG") for picture in pictures)
        assert len(set(pictures)) == 3

    def test_it_rests_between_drawings_but_draws_the_end(self, tmp_path, monkeypatch):
        notebook = FakeNotebook(monkeypatch)
        ppo_run(tmp_path, 4, on_report=LivePlot(seconds=1e6))
        assert (len(notebook.shown), len(notebook.updates)) == (1, 1)

    def test_without_a_notebook_it_says_what_to_do(self, monkeypatch):
        FakeNotebook(monkeypatch, shell=None)
        with pytest.raises(RuntimeError, match="notebook"):
            LivePlot()

    def test_without_ipython_it_says_how_to_install_it(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "IPython", None)
        with pytest.raises(MissingExtraError, match=r"pip install 'mijnlieff\[notebooks\]'"):
            LivePlot()

    @pytest.mark.parametrize("seconds", [-1.0, float("nan")])
    def test_bad_seconds(self, seconds, monkeypatch):
        FakeNotebook(monkeypatch)
        with pytest.raises(ValueError, match=str(seconds)):
            LivePlot(seconds)
