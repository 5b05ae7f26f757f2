"""The folder of a run: one training at a time, damaged logs, full disks, closed streams."""

from __future__ import annotations

import errno
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from mijnlieff import Board, RandomPolicy, Tablebase, Variant, load_policy
from mijnlieff.cli.main import main
from mijnlieff.errors import TrainingError
from mijnlieff.train import TrainState
from mijnlieff.train.process import enough_memory
from mijnlieff.train.run import final_report
from mijnlieff.train.run.folder import RunFolder
from mijnlieff.train.run.lock import lock_folder
from mijnlieff.train.run.trainer import Trainer
from processes import printed_by
from program_ends import raising
from tiny_runs import TINY_OPTIONS, ppo_run, read_log


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Path:
    """The folder of a run of two rounds, with an opening that is not the default."""
    out = tmp_path_factory.mktemp("finished")
    ppo_run(out, 2, variant=Variant(opening="corner"))
    return out


@pytest.fixture
def folder(finished, tmp_path) -> Path:
    """A copy of that folder."""
    return Path(shutil.copytree(finished, tmp_path / "run"))


# Prints the process id of a child that lives on. Another one leaves the block of the lock.
FORKS = """
import os, sys, time
from pathlib import Path
from mijnlieff.errors import TrainingError
from mijnlieff.train.run.lock import lock_folder

folder = Path(sys.argv[1])
with lock_folder(folder):
    if not (leaves := os.fork()):
        sys.exit()
    assert os.waitpid(leaves, 0)[1] == 0
    try:
        with lock_folder(folder):
            sys.exit("the lock is gone")
    except TrainingError:
        pass
    if not (stays := os.fork()):
        os.close(1), os.close(2)
        time.sleep(60)
    print(stays, flush=True)
    os._exit(0)  # as by a kill, the file of the lock is left
"""


class TestOneTrainingAtATime:
    def test_a_second_one_is_refused(self, tmp_path):
        refused = []

        def again(state: TrainState) -> None:
            for options in ({}, {"resume": True}, {"overwrite": True}):
                before = (tmp_path / "log.jsonl").read_bytes()
                with pytest.raises(TrainingError, match="another training") as caught:
                    ppo_run(tmp_path, 1, **options)
                assert f"process {os.getpid()}" in str(caught.value)
                assert str(tmp_path) in str(caught.value)
                assert (tmp_path / "log.jsonl").read_bytes() == before
                refused.append(caught.value)

        state = ppo_run(tmp_path, 2, on_report=again)
        assert len(refused) == 6
        assert [row["round"] for row in state.log] == [1, 2]
        assert sorted(os.listdir(tmp_path)) == [
            "checkpoint.pt",
            "curve.png",
            "log.jsonl",
            "progress.csv",
        ]

    def test_a_lock_file_that_is_removed_between_open_and_lock(self, tmp_path, monkeypatch):
        from mijnlieff.train.run import lock

        path, real, removed = tmp_path / lock.LOCK_NAME, lock._lock, []

        def lock_late(descriptor: int) -> bool:
            if not removed:
                path.unlink()  # as by a training that ends at this moment
                removed.append(path)
            return real(descriptor)

        if sys.platform != "win32":  # where open files cannot be removed
            monkeypatch.setattr(lock, "_lock", lock_late)
        with lock.lock_folder(tmp_path):
            assert path.read_text() == str(os.getpid())
            with pytest.raises(TrainingError, match="another"), lock.lock_folder(tmp_path):
                pass
        assert not path.exists()
        with lock.lock_folder(tmp_path):
            pass

    @pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
    def test_forked_children_do_not_hold_the_lock(self, tmp_path):
        # Newer versions of Python warn of forks beside threads, and NumPy has some.
        child = int(printed_by(FORKS, tmp_path, flags=("-W", "ignore")))
        try:
            with lock_folder(tmp_path):  # although the child of the process is still there
                pass
        finally:
            os.kill(child, signal.SIGKILL)

    def test_a_folder_that_is_missing(self, tmp_path, capsys):
        out = tmp_path / "nowhere"
        assert main(["train", "--resume", "--out", str(out)]) == 1
        assert f"there is no checkpoint {out}" in capsys.readouterr().err
        assert not out.exists()


SCORES = {"score": 0.5, "low": 0.0, "high": 1.0}
DAMAGED_LINES = {
    "other object": (b'{"x": 1}', "round must be an integer, not None"),
    "list": (b"[1]", "not a JSON object"),
    "round is a text": (b'{"round": "x"}', "round must be an integer, not 'x'"),
    "round is a boolean": (b'{"round": true}', "round must be an integer, not True"),
    "no losses": (b'{"round": 3, "steps": 1, "games": 1}', "policy_loss must be a number"),
    "not UTF-8": (b'{"round": \xff}', "byte 11 is not UTF-8"),
    "not JSON": (b"hello", "not JSON"),
    "deeply nested": (b"[" * 100_000, "not JSON"),
    "scores": ({"scores": 3}, "scores has no entry for random"),
    "scores of one": ({"scores": {"random": SCORES}}, "scores has no entry for greedy"),
    "score of text": (
        {"scores": {"random": SCORES | {"low": "0"}}},
        "low in scores for random must be a number, not '0'",
    ),
    "other names": ({"luck": 3}, "unlike the first line in luck"),
}


@pytest.mark.parametrize("kind", DAMAGED_LINES)
def test_damaged_lines_of_the_log_are_named(kind, folder, capsys):
    line, message = DAMAGED_LINES[kind]
    log = folder / "log.jsonl"
    good = log.read_bytes()
    if isinstance(line, dict):
        line = json.dumps(json.loads(good.splitlines()[-1]) | line).encode()
    log.write_bytes(good + line + b"\n")
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    assert main(["train", "--resume", "--out", str(folder), "--games=48"]) == 1
    error = capsys.readouterr().err
    assert f"{log} is damaged in line 3" in error and message in error
    assert error.count("\n") == 1
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_an_error_of_reading_without_a_number_is_told(tmp_path, monkeypatch):
    monkeypatch.setattr("pathlib.Path.read_bytes", raising(OSError("the tape is gone")))
    with pytest.raises(TrainingError, match=r"cannot read the log .*jsonl: the tape is gone"):
        RunFolder(tmp_path).read_log()


@pytest.mark.parametrize("end", [b'{"round": 3, "st', b'{"round": "\xc3', b"\0\0\0"])
def test_a_last_line_that_was_cut_short_is_skipped(end, folder):
    with (folder / "log.jsonl").open("ab") as log:
        log.write(end)
    state = ppo_run(folder, 3, resume=True, variant=Variant(opening="corner"))
    assert [row["round"] for row in state.log] == [1, 2, 3]


class TestOpening:
    def test_the_default_is_refused_if_the_run_has_another(self, folder, capsys):
        before = (folder / "checkpoint.pt").read_bytes()
        options = ["--resume", "--out", str(folder), "--games=48", "--opening=outside"]
        assert main(["train", *options]) == 1
        error = capsys.readouterr().err
        assert "opening='corner'" in error and "not on" in error and "'outside'" in error
        assert (folder / "checkpoint.pt").read_bytes() == before

    @pytest.mark.parametrize("options", [[], ["--opening=corner"], ["--copies=2"]], ids=str)
    def test_the_same_one_or_none_resumes(self, options, folder):
        fixed = ["--resume", "--out", str(folder), "--games=48", "--final-games=2"]
        assert main(["train", *fixed, *options]) == 0
        assert [row["round"] for row in read_log(folder)] == [1, 2, 3]


class TestTemporaryFiles:
    def test_a_full_disk_leaves_the_old_checkpoint_alone(self, folder, monkeypatch):
        def no_space(descriptor: int) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        before = {path.name: path.read_bytes() for path in folder.iterdir()}
        monkeypatch.setattr(os, "fsync", no_space)
        with pytest.raises(OSError, match="No space left on device"):
            ppo_run(folder, 3, resume=True, variant=Variant(opening="corner"))
        assert {path.name: path.read_bytes() for path in folder.iterdir()} == before

    def test_overwriting_removes_what_a_kill_left_behind(self, folder):
        for name in ("checkpoint.pt.part", "log.jsonl.part"):
            (folder / name).write_text("unfinished")
        ppo_run(folder, 1, overwrite=True)
        assert [name for name in os.listdir(folder) if name.endswith(".part")] == []


def test_a_run_that_cannot_start_overwrites_nothing(folder, monkeypatch):
    def fail(trainer: Trainer) -> None:
        raise MemoryError("not enough memory")

    monkeypatch.setattr(Trainer, "_new_method", fail)
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    with pytest.raises(MemoryError, match="not enough memory"):
        ppo_run(folder, 1, overwrite=True)
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


def test_a_tablebase_of_another_game_overwrites_nothing(folder, capsys):
    table = folder.parent / "table"
    Tablebase.build(table, Variant(Board.from_text("##"), copies=1))
    before = {path.name: path.read_bytes() for path in folder.iterdir()}
    options = ["--overwrite", "--tablebase", str(table), "--games=16", *TINY_OPTIONS]
    assert main(["train", "--out", str(folder), *options]) == 2
    assert "2 cells and 1 copies" in capsys.readouterr().err
    assert {path.name: path.read_bytes() for path in folder.iterdir()} == before


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such shell")
@pytest.mark.parametrize("closed", ["2>&-", ">&- 2>&- <&-"])
def test_training_works_with_closed_streams(closed, tmp_path):
    out = tmp_path / "run"
    options = ["--algo=ppo", *TINY_OPTIONS, f"--out={out}", "--games=32"]
    command = [sys.executable, "-m", "mijnlieff", "train", *options]
    line = f"{shlex.join(command)} {closed}"
    result = subprocess.run(["sh", "-c", line], capture_output=True, text=True, timeout=120)
    assert result.returncode == 0
    assert result.stderr == ""
    assert ("Learning curve" in result.stdout) == (closed == "2>&-")
    assert "games/s" not in result.stdout and "training in" not in result.stdout
    assert (out / "report.md").exists()
    load_policy(out)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such shell")
def test_errors_do_not_go_to_standard_output_instead(tmp_path):
    command = shlex.join([sys.executable, "-m", "mijnlieff", "train", "--resume", "--out", "none"])
    result = subprocess.run(
        ["sh", "-c", f"{command} 2>&-"], capture_output=True, text=True, timeout=120, cwd=tmp_path
    )
    assert (result.returncode, result.stdout) == (1, "")


def test_the_log_of_a_run_without_its_checkpoint_is_not_gone_on_with(tmp_path):
    (tmp_path / "log.jsonl").write_text("{}\n")
    with pytest.raises(TrainingError, match=r"the log of a run without its checkpoint: delete it"):
        ppo_run(tmp_path, 1)
    assert len(ppo_run(tmp_path, 1, overwrite=True).log) == 1


def test_games_without_a_choice_have_no_grade_and_faults_are_told(monkeypatch):
    one_cell = Variant(Board.from_text("#"), "corner_straight")
    assert final_report._grade(RandomPolicy(), one_cell, None) is None
    monkeypatch.setattr(final_report, "grade", raising(ValueError("a fault")))
    with pytest.raises(ValueError, match="a fault"):
        final_report._grade(RandomPolicy(), one_cell, None)


def test_commands_to_go_on_with_name_the_run_and_not_a_built_in_policy(capsys, tmp_path):
    final_report._print_next_steps(RunFolder(Path("champion")), Variant(), ":64")
    final_report._print_next_steps(RunFolder(tmp_path), Variant(), ":64")
    printed = capsys.readouterr().out
    path = os.path.join(".", "champion")
    assert f"mijnlieff grade {path}:64" in printed and f"best-response {path}\n" in printed
    assert f"mijnlieff grade {tmp_path}:64" in printed


def test_a_lack_of_memory_in_pytorch_is_a_memory_error():
    with pytest.raises(MemoryError, match=r"^not enough memory for a network: choose fewer$"):
        with enough_memory("a network: choose fewer"):
            torch.empty(2**61, dtype=torch.float64)
    with pytest.raises(RuntimeError, match=r"size mismatch|must match|shapes"):
        with enough_memory("a network: choose fewer"):
            torch.zeros(2, 3) @ torch.zeros(2, 3)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows grants memory differently")
def test_a_replay_buffer_that_does_not_fit_into_memory(tmp_path, capsys):
    assert main(["train", "--replay-positions=2147483647", "--out", str(tmp_path / "run")]) == 1
    error = capsys.readouterr().err
    assert "replay_positions=2147483647" in error and error.count("\n") == 1
    assert not (tmp_path / "run").exists()
