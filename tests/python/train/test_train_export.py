"""Exporting checkpoints to files that can be used without PyTorch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

import mijnlieff
from mijnlieff import Network, NetworkPolicy, Variant, load_policy
from mijnlieff.cli.main import main
from mijnlieff.encoding import observe_batch
from mijnlieff.errors import CheckpointError
from mijnlieff.train.config import Budget
from mijnlieff.train.network import CellNetwork
from mijnlieff.train.run.folder import RunFolder
from mijnlieff.train.run.policy import export_checkpoint, network_from_checkpoint
from mijnlieff.train.run.trainer import Trainer
from played import playable
from tiny_runs import STANDARD, tiny


def test_weights_that_are_not_finite_are_refused():
    network = CellNetwork(Variant(), 16, 1, 4)
    with torch.no_grad():
        network.placements.bias[3] = float("nan")
    with pytest.raises(CheckpointError, match="infinite or NaN"):
        Network.from_torch(network)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """The folder of a run of one round."""
    folder = RunFolder(tmp_path / "run")
    folder.create()
    trainer = Trainer(tiny("ppo", width=32), Budget(steps=5_000), STANDARD)
    trainer.train_round()
    trainer.save(folder)
    trainer.close()
    return folder.path


def test_an_exported_run_plays_as_its_checkpoint(run, capsys):
    out = run / "small.bin"
    assert main(["export", str(run), "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"{out}: ") and f"{out.stat().st_size:,} bytes" in said
    assert "width 32, 1 blocks" in said
    assert sorted(path.name for path in run.iterdir()) == ["checkpoint.pt", "small.bin"]
    policy, player = load_policy(out), load_policy(run)
    assert (policy.model.width, policy.model.blocks) == (32, 1)
    positions = playable(Variant(), 30)
    seen = observe_batch(positions, "flat")
    logits, _ = policy.model.evaluate(seen)
    np.testing.assert_array_equal(player.model.evaluate(seen)[0], logits)
    # PyTorch rounds otherwise, which may decide where two actions are all but equal.
    legal = np.stack([position.action_mask() for position in positions]).astype(bool)
    ranked = np.sort(np.where(legal, logits, -np.inf), axis=1)
    clear = ranked[:, -1] - ranked[:, -2] > 1e-4
    trained = NetworkPolicy(network_from_checkpoint(run)[0])
    same = policy.act_batch(positions) == trained.act_batch(positions)
    assert clear.sum() > 100 and same[clear].all()
    assert (player.act_batch(positions) == policy.act_batch(positions)).all()
    assert main(["evaluate", str(out), "random", "--games", "20", "--json"]) == 0


@pytest.mark.parametrize(
    ("settings", "differs"),
    [
        ({"knowledge": "pure"}, True),
        ({}, True),
        ({"backup": "mean", "margin_weight": 0.5}, False),
    ],
    ids=["pure", "exact", "as an exported file"],
)
def test_a_file_that_searches_differently_from_its_run(settings, differs, tmp_path, capsys):
    folder = RunFolder(tmp_path / "run")
    folder.create()
    trainer = Trainer(tiny("alphazero", **settings), Budget(steps=1), STANDARD)
    trainer.save(folder)
    trainer.close()
    out = tmp_path / "agent.bin"
    assert main(["export", str(folder.path), "--out", str(out)]) == 0
    said = capsys.readouterr().err
    searches = [load_policy(f"{path}:64").search for path in (folder.path, out)]
    assert (searches[0] != searches[1]) == differs == (f"{out}:64 searches differently" in said)
    if differs:
        assert eval(said.splitlines()[-1], vars(mijnlieff)).search == searches[0]


def test_half_makes_a_file_of_half_the_size(run, tmp_path, capsys):
    whole, half = tmp_path / "whole.bin", tmp_path / "half.bin"
    assert main(["export", str(run), "--out", str(whole)]) == 0
    assert main(["export", str(run), "--out", str(half), "--half"]) == 0
    assert f"{half.stat().st_size:,} bytes" in capsys.readouterr().out
    assert Network.load(half) == Network.load(whole).half()
    assert half.stat().st_size < 0.6 * whole.stat().st_size


@pytest.mark.parametrize(
    ("checkpoint", "out", "error", "words"),
    [
        ("nowhere", "a.bin", CheckpointError, "there is no checkpoint nowhere"),
        ("run", "no/such/a.bin", OSError, "cannot write"),
    ],
)
def test_errors_are_one_line(run, monkeypatch, capsys, checkpoint, out, error, words):
    monkeypatch.chdir(run.parent)
    with pytest.raises(error, match=words):
        export_checkpoint(checkpoint, out)
    assert main(["export", checkpoint, "--out", out]) == 1
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 1
    assert not Path(out).exists()


def test_a_file_that_is_not_a_checkpoint(run, capsys):
    (run / "checkpoint.pt").write_text("text")
    assert main(["export", str(run), "--out", str(run / "a.bin")]) == 1
    assert "truncated or not a checkpoint" in capsys.readouterr().err
    assert not (run / "a.bin").exists()
