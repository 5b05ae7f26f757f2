"""Whole training runs: kills, bad folders and options, the files of a run."""

from __future__ import annotations

import json
import math
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from interrupts import needs_signals
from mijnlieff import (
    Board,
    Network,
    Tablebase,
    Variant,
    load_policy,
)
from mijnlieff._util.output import status_bar
from mijnlieff.cli.main import main
from mijnlieff.cli.parser import make_parser
from mijnlieff.cli.train import _resume_command
from mijnlieff.errors import TrainingError
from mijnlieff.train.config import Budget
from mijnlieff.train.process import choose_device
from mijnlieff.train.run.checkpoint import load_checkpoint
from mijnlieff.train.run.folder import RunFolder
from mijnlieff.train.run.lock import LOCK_NAME
from mijnlieff.train.run.trainer import Trainer
from tiny_runs import (
    STANDARD,
    TINY_OPTIONS,
    TWO_BLOCKS,
    read_log,
    resumed,
    saved_run,
    tiny,
    trainer_of,
)


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return saved_run(tmp_path / "run")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--width=32"], ["width 16", "32"]),
        (["--gamma=0.5"], ["gamma 1.0", "0.5"]),
        (["--board=##../##../..##/..##"], ["trained on", "not on"]),
        (["--copies=3"], ["trained on", "copies=3"]),
    ],
)
def test_a_run_does_not_become_another_one(folder, options, words, capsys):
    assert main(["train", "--resume", "--out", str(folder.path), *options]) == 1
    error = capsys.readouterr().err
    assert all(word in error for word in [str(folder.checkpoint), *words])


@pytest.mark.parametrize(
    ("options", "code", "words"),
    [
        (["--minutes=0"], 2, ["minutes", "0"]),
        (["--minutes=nan"], 2, ["minutes", "nan"]),
        (["--steps=-5"], 2, ["steps", "-5"]),
        (["--steps=5", "--games=5"], 2, ["not allowed"]),
        (["--width=0"], 2, ["width", "0"]),
        (["--learning-rate=nan"], 2, ["learning_rate", "nan"]),
        (["--measurement-games=3"], 2, ["measurement_games", "3"]),
        (["--final-games=0"], 2, ["final_games", "0"]),
        (["--copies=0"], 2, ["copies", "0"]),
        (["--resume"], 2, ["--out"]),
    ],
)
def test_bad_options(options, code, words, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["train", *options]) == code
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert all(word in error for word in words)
    assert list(tmp_path.iterdir()) == []


def test_an_unwritable_folder_is_found_out_first(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    out = tmp_path / "file" / "run"
    assert main(["train", "--out", str(out), *TINY_OPTIONS]) == 1
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    assert f"cannot write to the folder {out}" in error


@pytest.mark.parametrize(
    ("options", "owner"),
    [
        (["--algo=ppo", "--c-scale=1"], "--c-scale is an option of --algo alphazero"),
        (["--gae-lambda=0.9"], "--gae-lambda is an option of --algo ppo"),
        (["--graded-positions=9"], "--graded-positions is an option of --boards"),
    ],
)
def test_options_that_would_change_nothing_are_refused(options, owner, tmp_path, capsys):
    assert main(["train", *options, "--out", str(tmp_path / "run")]) == 2
    assert owner in capsys.readouterr().err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(("algo", "code"), [("ppo", 2), ("alphazero", 0)])
def test_threads_of_self_play_are_refused_for_a_run_by_ppo(algo, code, tmp_path, capsys):
    options = [*TINY_OPTIONS, f"--algo={algo}", "--games=1", "--out", str(tmp_path)]
    assert main(["train", *options]) == 0
    log = tmp_path / "log.jsonl"
    last = json.loads(log.read_bytes().splitlines()[-1])
    with log.open("a") as file:  # as if the run had been killed before the next checkpoint
        print(json.dumps(last | {"round": last["round"] + 1}), file=file)
    before = [(tmp_path / name).read_bytes() for name in ("checkpoint.pt", "log.jsonl")]
    again = ["--resume", "--play-threads=1", "--final-games=2", "--out", str(tmp_path)]
    assert main(["train", *again]) == code
    if code:
        assert "--play-threads is an option of --algo alphazero" in capsys.readouterr().err
        after = [(tmp_path / name).read_bytes() for name in ("checkpoint.pt", "log.jsonl")]
        assert after == before


def test_threads_of_self_play_are_refused_with_ray(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("mijnlieff.cli.train.prepare_packages", lambda *wanted: None)
    out = tmp_path / "run"
    assert main(["train", "--ray", "--play-threads=2", "--out", str(out)]) == 2
    assert "--play-threads would change nothing" in capsys.readouterr().err
    assert not out.exists()


@pytest.mark.parametrize(
    "board",
    [
        ["--board=#####/#####/#####/#####"],  # 12 cells stay empty
        ["--board=#####/#####/#####", "--solve-roots-below=5", "--solve-leaves-below=5"],  # 7 do
    ],
)
def test_a_run_that_solves_nothing_says_so(board, tmp_path, capsys):
    options = [*TINY_OPTIONS, *board, "--copies=1", "--num-simulations=2", "--games=16"]
    options += ["--out", str(tmp_path)]
    assert main(["train", *options]) == 0
    printed, told = capsys.readouterr()
    assert "nothing is ever solved: --knowledge pure" in told
    assert "games of self-play from the rules alone" in printed
    assert "With 64 simulations, 2 games" in printed and "solver" not in printed
    assert all(row["solved"] == 0 for row in read_log(tmp_path))


def test_losses_that_are_not_finite_end_the_run(tmp_path):
    folder = RunFolder(tmp_path)
    trainer = trainer_of(learning_rate=1e30)
    trainer.prepare(folder, shows_progress=False)
    with (
        pytest.raises(TrainingError, match=r"diverged in round .* below 1e\+30") as caught,
        status_bar() as progress,
    ):
        trainer.run(folder, progress, lambda: False)
    assert str(folder.checkpoint) in str(caught.value)
    assert resumed(folder).counters.rounds == 0


def test_logits_too_large_for_masks_end_the_run(tmp_path):
    sizes = {"num_envs": 4, "width": 8, "epochs": 1, "minibatch_size": 4096}
    trainer = trainer_of(**sizes, learning_rate=1e7)
    trainer.prepare(RunFolder(tmp_path), shows_progress=False)
    with pytest.raises(TrainingError, match=r"diverged in round \d+ \(a logit is -.*\): try"):
        for _ in range(20):
            trainer.train_round()


def test_a_round_of_random_actions_alone_teaches_nothing():
    trainer = trainer_of(num_envs=1, random_plies=1000)
    skipped = [math.isnan(trainer.train_round().policy_loss) for _ in range(8)]
    assert True in skipped
    assert all(weights.isfinite().all() for weights in trainer.network.parameters())


def test_weights_that_are_not_finite_end_the_run(tmp_path, monkeypatch):
    trainer = trainer_of()
    play = trainer._method.round

    def diverge(spent, rounds):
        played = play(spent, rounds)
        next(trainer.network.parameters()).data[0] = math.inf
        return played

    monkeypatch.setattr(trainer._method, "round", diverge)
    trainer.prepare(RunFolder(tmp_path), shows_progress=False)
    with pytest.raises(TrainingError, match=r"diverged in round 1 \(weights are not finite\)"):
        trainer.run(RunFolder(tmp_path), None, lambda: False)
    assert resumed(RunFolder(tmp_path)).counters.rounds == 0


def test_minutes_count_from_the_first_round(tmp_path, monkeypatch):
    """The measurement before it waits for workers that start, which may take minutes."""
    clock = [0.0]
    monkeypatch.setattr("mijnlieff.train.run.trainer.time.monotonic", lambda: clock[0])
    trainer = Trainer(tiny("ppo", measurements=1), Budget(minutes=1), STANDARD)
    measure, play = trainer._measure, trainer.train_round

    def slow_measure():
        measure()
        clock[0] += 1000

    def one_second():
        clock[0] += 1
        return play()

    monkeypatch.setattr(trainer, "_measure", slow_measure)
    monkeypatch.setattr(trainer, "train_round", one_second)
    assert trainer.run(RunFolder(tmp_path), None, lambda: False)
    assert trainer.counters.rounds == 60
    assert [point["seconds"] for point in trainer.curve] == [0, 60]


def test_a_round_may_be_shorter_than_a_tick_of_the_clock(tmp_path, monkeypatch):
    """As on Windows, where `time.monotonic` has ticks of 16 ms up to Python 3.12."""
    monkeypatch.setattr("mijnlieff.train.run.trainer.time.monotonic", lambda: 1.0)
    trainer = Trainer(tiny("ppo", measurements=1), Budget(steps=1), STANDARD)
    assert trainer.run(RunFolder(tmp_path), None, lambda: False)
    (row,) = read_log(tmp_path)
    assert row["steps_per_second"] > 0


def test_the_curve_has_as_many_points_as_asked(tmp_path, monkeypatch):
    """Rounds of 3 % do not divide the budget as 20 measurements do."""
    trainer = Trainer(tiny("ppo", measurements=20), Budget(steps=1000), STANDARD)
    play = trainer.train_round

    def thirty_steps():
        losses = play()
        trainer.counters.steps = 30 * trainer.counters.rounds
        return losses

    monkeypatch.setattr(trainer, "train_round", thirty_steps)
    assert trainer.run(RunFolder(tmp_path), None, lambda: False)
    due = [math.ceil(50 * number / 30) * 30 for number in range(21)]
    assert [point["steps"] for point in trainer.curve] == due


def test_a_whole_run(tmp_path, capsys):
    out = tmp_path / "run"
    options = [*TINY_OPTIONS, "--final-games=4", "--out", str(out)]
    assert main(["train", *options, "--steps=2000"]) == 0
    captured = capsys.readouterr()
    table = [line for line in captured.out.splitlines() if line.startswith("minimax:4")]
    assert len(table) == 2  # the network alone, and with a search
    assert "The network alone, 4 games against each\n" in captured.out
    assert "games/s" in captured.err
    assert "random" in captured.err
    assert sorted(os.listdir(out)) == [
        "checkpoint.pt",
        "curve.png",
        "log.jsonl",
        "progress.csv",
        "report.json",
        "report.md",
    ]
    assert (out / "curve.png").read_bytes().startswith(b"\x89PNG")
    report = json.loads((out / "report.json").read_text(), parse_constant=pytest.fail)
    assert [player["player"] for player in report["players"]] == [
        "The network alone",
        "With 64 simulations + solver",
    ]
    for player in report["players"]:
        assert player["grade"]["positions"] == 5040
        assert [match["opponent"] for match in player["matches"]] == [
            "random",
            "greedy",
            "minimax:2",
            "minimax:4",
            "perfect",
        ]
        assert all(match["games"] == 4 for match in player["matches"])
    page = (out / "report.md").read_text()
    assert "Every match has 4 games." in page and "| With 64 simulations + solver | " in page
    *_, play, graded, worst = captured.out.splitlines()
    assert play == f"  mijnlieff play --browser --light {out}:64"
    assert graded == f"  mijnlieff grade {out}:64"
    assert worst == f"  mijnlieff best-response {out}"
    assert make_parser(["play"]).parse_args(play.split()[1:]).light == f"{out}:64"
    rounds = read_log(out)
    assert [row["round"] for row in rounds] == list(range(1, len(rounds) + 1))
    assert rounds[-1]["steps"] == report["run"]["steps"] >= 2000
    assert "scores" in rounds[-1]

    # A longer budget takes the run up again; the log goes on where it was.
    steps = rounds[-1]["steps"] + 1
    assert (
        main(["train", "--resume", "--out", str(out), f"--steps={steps}", "--final-games=2"]) == 0
    )
    more = read_log(out)
    assert more[: len(rounds)] == rounds
    assert len(more) == len(rounds) + 1


def start(out: Path, *options: str) -> subprocess.Popen[str]:
    """Start `mijnlieff train` as a separate process, in short rounds."""
    process = subprocess.Popen(
        [sys.executable, "-m", "mijnlieff", "train", "--out", str(out), *TINY_OPTIONS, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    log = out / "log.jsonl"
    while not (log.exists() and log.read_text().count("\n") > 20):
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    return process


def test_a_killed_run_resumes(tmp_path, capsys):
    process = start(tmp_path, "--minutes=10", "--checkpoint-seconds=0.05")
    assert main(["train", "--resume", "--out", str(tmp_path)]) == 1
    assert f"(process {process.pid}) is running in {tmp_path}" in capsys.readouterr().err
    process.kill()
    process.communicate()
    assert (tmp_path / LOCK_NAME).exists()  # but no longer locked
    # The kill may have cut off a line; the checkpoint is whole in any case.
    with (tmp_path / "log.jsonl").open("a") as log:
        log.write('{"round": 9')
    saved = load_checkpoint(tmp_path / "checkpoint.pt")
    assert saved.counters.rounds > 0
    steps = saved.counters.steps + 2_000
    options = ["--resume", "--out", str(tmp_path), f"--steps={steps}", "--final-games=2"]
    assert main(["train", *options]) == 0
    rows = read_log(tmp_path)
    assert [row["round"] for row in rows] == list(range(1, len(rows) + 1))
    assert rows[-1]["steps"] >= steps
    assert rows[-1]["round"] > saved.counters.rounds


@needs_signals
def test_ctrl_c_saves_and_ends(tmp_path):
    process = start(tmp_path, "--minutes=10", "--checkpoint-seconds=1000")
    process.send_signal(signal.SIGINT)
    out, error = process.communicate(timeout=60)
    assert process.returncode == 130
    assert out == ""
    assert "Traceback" not in error
    assert f"mijnlieff train --resume --out {tmp_path}" in error
    rows = (tmp_path / "log.jsonl").read_text().splitlines()
    assert load_checkpoint(tmp_path / "checkpoint.pt").counters.rounds == len(rows)


@needs_signals
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_in_the_final_report_is_told(tmp_path, monkeypatch, capsys, number):
    """By default SIGTERM would end the process without a word."""

    def interrupted(*report: object) -> None:
        os.kill(os.getpid(), number)
        time.sleep(60)

    monkeypatch.setattr("mijnlieff.train.run.final_report.report_board", interrupted)
    options = ["--algo=ppo", "--games=1", "--out", str(tmp_path), *TINY_OPTIONS]
    assert main(["train", *options]) == 128 + number
    assert f"interrupted; continue with: mijnlieff train --resume --out {tmp_path}" in (
        capsys.readouterr().err
    )


@needs_signals
@pytest.mark.parametrize(
    ("place", "count", "options"),
    [
        ("strength.graded_positions", 1, [f"--boards={TWO_BLOCKS}", "--holdout=0"]),
        ("run.TensorBoardLog", 1, []),
        ("trainer.Trainer.train_round", 2, []),
    ],
    ids=["before the rounds", "while TensorBoard loads", "a second one in a round"],
)
def test_signals_that_end_a_run_at_once_are_told(
    tmp_path, monkeypatch, capsys, place, count, options
):
    def interrupted(*arguments: object, **named: object) -> None:
        for _ in range(count):
            os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(60)

    monkeypatch.setattr(f"mijnlieff.train.run.{place}", interrupted)
    small = [option for option in TINY_OPTIONS if option != "--no-tensorboard"]
    assert main(["train", "--out", str(tmp_path), *small, *options]) == 128 + signal.SIGTERM
    assert f"interrupted; continue with: mijnlieff train --resume --out {tmp_path}" in (
        capsys.readouterr().err
    )
    assert load_checkpoint(tmp_path / "checkpoint.pt").counters.rounds == 0


def test_a_run_continues_as_it_was_started(tmp_path):
    def continued(*options: str) -> str:
        args = make_parser(["train"]).parse_args(["train", *options])
        return _resume_command(RunFolder(tmp_path), args)

    usual = f"mijnlieff train --resume --out {tmp_path}"
    assert continued("--minutes=1", "--width=16") == usual
    options = "--device cpu --final-games 4 --no-tensorboard --ray --ray-workers 2".split()
    assert continued(*options) == " ".join([usual, *options])
    assert continued("--tensorboard") == f"{usual} --tensorboard"
    table = tmp_path / "table"
    Tablebase.build(table, Variant(Board.from_text("##"), copies=1))
    assert continued("--tablebase", str(table)) == f"{usual} --tablebase {table}"


def test_a_run_plays_by_the_network_of_its_checkpoint(folder):
    policy = load_policy(folder.path)
    assert policy == load_policy(folder.checkpoint)
    assert isinstance(policy.model, Network) and policy.model.variant == Variant()
    assert load_policy(f"{folder.path}:4").model == policy.model


class TestDevice:
    @pytest.mark.parametrize(
        ("cuda", "mps", "best"),
        [(True, True, "cuda"), (True, False, "cuda"), (False, True, "mps"), (False, False, "cpu")],
    )
    def test_the_best_is_chosen(self, cuda, mps, best, monkeypatch):
        monkeypatch.setattr(torch.cuda, "is_available", lambda: cuda)
        monkeypatch.setattr(torch.backends.mps, "is_available", lambda: mps)
        assert choose_device().type == choose_device("auto").type == best

    def test_a_run_computes_on_it(self):
        best = choose_device()
        assert choose_device("cpu") == choose_device(torch.device("cpu")) == torch.device("cpu")
        trainer = Trainer(tiny("ppo"), Budget(steps=500), STANDARD, best)
        assert trainer.network.device.type == best.type
        trainer.train_round()
        trainer.close()

    @pytest.mark.parametrize("name", ["abacus", "cuda:99", "meta", "meta:x"])
    def test_one_that_is_not_there(self, name, tmp_path, capsys):
        with pytest.raises(ValueError, match=f"the device '{name}'"):
            choose_device(name)
        out = tmp_path / "run"
        assert main(["train", "--steps=100", f"--device={name}", f"--out={out}"]) == 2
        assert f"the device '{name}'" in capsys.readouterr().err
        assert not out.exists()
