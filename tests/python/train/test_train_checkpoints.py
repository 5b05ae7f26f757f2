"""Checkpoints: everything comes back, and bad files are refused."""

from __future__ import annotations

import math
import os
import zipfile
from pathlib import Path

import numpy as np
import pytest
import torch

from mijnlieff import Board, Variant, load_policy
from mijnlieff._util.output import status_bar
from mijnlieff.cli.main import main
from mijnlieff.errors import CheckpointError
from mijnlieff.train.boards import Boards
from mijnlieff.train.network import CellNetwork
from mijnlieff.train.run.checkpoint import load_checkpoint
from mijnlieff.train.run.folder import RunFolder
from mijnlieff.train.run.trainer import Trainer
from program_ends import raising
from tiny_runs import resumed, saved_run, trainer_of


@pytest.fixture
def folder(tmp_path: Path) -> RunFolder:
    return saved_run(tmp_path / "run")


def weights(trainer: Trainer) -> dict[str, np.ndarray]:
    return {name: value.numpy().copy() for name, value in trainer.network.state_dict().items()}


class TestCheckpoint:
    def test_a_resumed_run_goes_on_bit_for_bit(self, folder):
        straight = trainer_of()
        losses = [straight.train_round() for _ in range(4)]
        again = resumed(folder)
        assert again.counters.rounds == 2
        assert [again.train_round() for _ in range(2)] == losses[2:]
        assert again.counters == straight.counters
        for name, expected in weights(straight).items():
            np.testing.assert_array_equal(weights(again)[name], expected, err_msg=name)

    def test_another_seed_is_another_run(self):
        first, second = (trainer_of(seed=seed).train_round() for seed in (0, 1))
        assert first != second

    def test_everything_comes_back(self, tmp_path):
        folder = RunFolder(tmp_path)
        variant = Variant(Board.from_text("##..\n##..\n..##\n..##"), "corner", 3)
        trainer = trainer_of(Boards((variant,)), seed=7, entropy_coef=0.5)
        with status_bar() as progress:
            trainer.run(folder, progress, lambda: trainer.counters.rounds == 1)
        saved = load_checkpoint(folder.checkpoint)
        assert saved.config == trainer.config
        assert saved.budget == trainer.budget
        assert saved.boards.seen == (variant,)
        assert saved.counters == trainer.counters
        assert saved.curve == trainer.curve
        assert set(saved.curve[0]["scores"]) == {"random", "greedy", "minimax:2"}

    def test_nothing_is_left_beside_it(self, folder):
        assert os.listdir(folder.path) == ["checkpoint.pt"]


def damage(path: Path) -> None:
    with zipfile.ZipFile(path) as archive:  # a byte between the entries would change nothing
        largest = max(archive.infolist(), key=lambda entry: entry.file_size)
    content = bytearray(path.read_bytes())
    content[largest.header_offset + largest.file_size // 2] ^= 0xFF
    path.write_bytes(content)


def change(path: Path, **entries: object) -> None:
    torch.save(torch.load(path, weights_only=True) | entries, path)


def inflate(path: Path) -> None:
    """Compress the entries, one of which gets a million zeros at its end."""
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in entries.items():
            archive.writestr(name, content + bytes(10**6 * name.endswith("data.pkl")))


def one_board(text: str, opening: str) -> dict[str, object]:
    none = {"unseen": [], "holdout": None, "seed": None}
    return {"seen": [text], "opening": opening, "copies": 2, **none}


def spoil_weights(path: Path) -> None:
    content = torch.load(path, weights_only=True)
    content["network"]["placements.bias"][0] = float("nan")
    torch.save(content, path)


COUNTERS = {"rounds": 2, "steps": 900, "games": 40, "seconds": 1.5}


class Foreign:
    """Loading this would run code."""

    def __reduce__(self):
        return print, ("code from a checkpoint was run",)


BAD_CHECKPOINTS = {
    "missing": (lambda path: path.unlink(), "there is no checkpoint"),
    "empty": (lambda path: path.write_bytes(b""), "truncated"),
    "truncated": (lambda path: path.write_bytes(path.read_bytes()[:-1000]), "truncated"),
    "damaged": (damage, "damaged"),
    "inflating": (inflate, r"inflates to \d{7,} bytes, more than the \d+ of the file"),
    "text": (lambda path: path.write_text("hello"), "not a checkpoint"),
    "code": (lambda path: torch.save(Foreign(), path), "not a checkpoint"),
    "other file": (lambda path: torch.save([1, 2], path), "not a checkpoint of mijnlieff"),
    "other program": (lambda path: change(path, format="x"), "not a checkpoint of mijnlieff"),
    "later version": (lambda path: change(path, version=99), "version 99"),
    "earlier version": (
        lambda path: change(path, version=1),
        "start a new run with mijnlieff",
    ),
    "no counters": (lambda path: change(path, counters=None), "is inconsistent"),
    "empty counters": (
        lambda path: change(path, counters={}),
        r"counters must have the entries rounds, steps, games, seconds, not \{\}",
    ),
    "other counters": (lambda path: change(path, counters=COUNTERS | {"luck": 1}), "luck"),
    "no rounds": (
        lambda path: change(path, counters=COUNTERS | {"rounds": None}),
        "rounds in counters must be an integer, not None",
    ),
    "negative steps": (
        lambda path: change(path, counters=COUNTERS | {"steps": -1}),
        "steps in counters must be at least 0, not -1",
    ),
    "no time": (
        lambda path: change(path, counters=COUNTERS | {"seconds": math.nan}),
        "seconds in counters must be a finite number of at least 0, not nan",
    ),
    "boards as a tensor": (
        lambda path: change(path, boards=torch.zeros(())),
        "boards must be a dict, not tensor",
    ),
    "seen boards as a tensor": (
        lambda path: change(path, boards=one_board("##", "corner") | {"seen": torch.zeros(1)}),
        "is inconsistent",
    ),
    "curve as text": (lambda path: change(path, curve="x"), "curve must be a list, not 'x'"),
    "curve of nothing": (
        lambda path: change(path, curve=[None]),
        "measurement 0 of curve must be a dict, not None",
    ),
    "curve without steps": (lambda path: change(path, curve=[{}]), "must have the entries rounds"),
    "curve without scores": (lambda path: change(path, curve=[COUNTERS]), "no entry 'scores'"),
    "curve with half the scores": (
        lambda path: change(path, curve=[COUNTERS | {"scores": {"random": {"score": 1.0}}}]),
        "low in scores for random must be a number, not None",
    ),
    "unknown setting": (lambda path: change(path, config={"speed": 1}), "speed"),
    "bad variant": (
        lambda path: change(path, boards=one_board("##", "any")),
        "any",
    ),
    "other variant": (
        lambda path: change(path, boards=one_board("###", "corner")),
        "do not match",
    ),
    "not numbers": (spoil_weights, "NaN or infinite"),
}


@pytest.mark.parametrize("kind", BAD_CHECKPOINTS)
def test_bad_checkpoints_are_refused(folder, kind, capsys):
    spoil, message = BAD_CHECKPOINTS[kind]
    spoil(folder.checkpoint)
    before = folder.checkpoint.read_bytes() if folder.checkpoint.exists() else None
    with pytest.raises(CheckpointError, match=message) as caught:
        load_policy(folder.path)
    # A folder without a checkpoint may hold another file that a policy is read from.
    assert str(folder.path if kind == "missing" else folder.checkpoint) in str(caught.value)
    assert main(["train", "--resume", "--out", str(folder.path)]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    assert "Traceback" not in captured.err
    assert str(folder.checkpoint) in captured.err
    assert (folder.checkpoint.read_bytes() if folder.checkpoint.exists() else None) == before


def test_an_error_of_reading_without_a_number_is_told(folder, monkeypatch):
    monkeypatch.setattr("zipfile.ZipFile.testzip", raising(OSError("the tape is gone")))
    with pytest.raises(CheckpointError, match=r"cannot read checkpoint .*\.pt: the tape is gone"):
        load_checkpoint(folder.checkpoint)


@pytest.mark.parametrize("what", ["network", "optimizer"])
def test_a_lack_of_memory_is_not_a_fault_of_the_checkpoint(tmp_path, monkeypatch, what):
    folder = saved_run(tmp_path)

    def without_memory(*state: object) -> None:
        raise torch.cuda.OutOfMemoryError("CUDA out of memory.")

    taker = CellNetwork if what == "network" else torch.optim.Optimizer
    monkeypatch.setattr(taker, "load_state_dict", without_memory)
    with pytest.raises(MemoryError, match="a network of width=16 and blocks=1: choose fewer"):
        resumed(folder)
