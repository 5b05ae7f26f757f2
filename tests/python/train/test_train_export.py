"""Exporting checkpoints to files that can be used without PyTorch."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from mijnlieff import Network, Variant, load_policy
from mijnlieff._mijnlieff import MARGIN_UNIT
from mijnlieff.cli.main import main
from mijnlieff.encoding import observe_batch
from mijnlieff.errors import CheckpointError
from mijnlieff.train.boards import Boards
from mijnlieff.train.config import Budget, TrainConfig
from mijnlieff.train.network import PolicyValueNetwork
from mijnlieff.train.run.folder import RunFolder
from mijnlieff.train.run.policy import export_checkpoint
from mijnlieff.train.run.trainer import Trainer
from network_inputs import EACH_VARIANT, games, playable


def network_for(variant: Variant, width: int, blocks: int) -> PolicyValueNetwork:
    """A network whose outputs are far from 0."""
    torch.manual_seed(1)
    network = PolicyValueNetwork(variant, width, blocks)
    for parameter in network.parameters():
        torch.nn.init.normal_(parameter, std=0.2)
    return network


@EACH_VARIANT
@pytest.mark.parametrize(("width", "blocks"), [(64, 2), (7, 0)])
def test_native_code_evaluates_as_pytorch_does(variant, width, blocks):
    network = network_for(variant, width, blocks)
    observations = observe_batch(games(variant, 20), "flat")
    with torch.no_grad():
        expected = network(torch.from_numpy(observations))
    found = Network.from_torch(network).evaluate(observations, precision="float32")
    for native, wanted in zip(found, expected, strict=True):
        assert np.abs(wanted.numpy()).max() > 0.1
        np.testing.assert_allclose(native, wanted.numpy(), rtol=1e-4, atol=1e-4)
    assert MARGIN_UNIT == 4.0  # as the documentation of the native network says


def test_weights_that_are_not_finite_are_refused():
    network = network_for(Variant(), 16, 1)
    with torch.no_grad():
        network.heads.bias[3] = float("nan")
    with pytest.raises(CheckpointError, match="infinite or NaN"):
        Network.from_torch(network)


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """The folder of a run of one round."""
    folder = RunFolder(tmp_path / "run")
    folder.create()
    config = TrainConfig(num_envs=16, width=32, blocks=1, num_threads=1, measurement_games=2)
    trainer = Trainer(config, Budget(steps=5_000), Boards((Variant(),)))
    trainer.train_round()
    trainer.save(folder)
    trainer.close()
    return folder.path


def test_an_exported_run_plays_as_its_checkpoint(run, capsys):
    out = run / "small.bin"
    assert main(["export", str(run), "--out", str(out)]) == 0
    said = capsys.readouterr().out
    assert said.startswith(f"{out}: ") and f"{out.stat().st_size:,} bytes" in said
    assert sorted(path.name for path in run.iterdir()) == ["checkpoint.pt", "small.bin"]
    policy = load_policy(out)
    assert (policy.model.width, policy.model.blocks) == (32, 1)
    positions = playable(Variant(), 30)
    logits, _ = policy.model.evaluate(observe_batch(positions, "flat"))
    # Where two actions are all but equal, rounding may decide.
    legal = np.stack([position.action_mask() for position in positions]).astype(bool)
    ranked = np.sort(np.where(legal, logits, -np.inf), axis=1)
    clear = ranked[:, -1] - ranked[:, -2] > 1e-4
    same = policy.act_batch(positions) == load_policy(run).act_batch(positions)
    assert clear.sum() > 100 and same[clear].all()
    assert main(["evaluate", str(out), "random", "--games", "20", "--json"]) == 0


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
