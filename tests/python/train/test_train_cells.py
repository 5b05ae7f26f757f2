"""The network for one board: the same as the one for many, and runs with it."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from mijnlieff import Board, Canvas, Network, Position, Variant, load_policy
from mijnlieff._mijnlieff import random_openings
from mijnlieff.cli.main import main
from mijnlieff.encoding import mask_batch, observe_batch
from mijnlieff.train import Budget, train
from mijnlieff.train.alphazero import Replay
from mijnlieff.train.network import CellNetwork
from mijnlieff.train.play.samples import Samples
from mijnlieff.train.play.symmetric_boards import SymmetricBoards
from random_networks import random_network
from tiny_runs import STANDARD, TINY_OPTIONS, tiny

WIDE = Variant(Board.from_blocks([(0, 0), (2, 0), (4, 0), (1, 2), (3, 3)]), "anywhere", 3)
ONE_ROW = Variant(Board.from_text("###.##"), "anywhere", 2)
EACH_VARIANT = pytest.mark.parametrize("variant", [Variant(), WIDE, ONE_ROW], ids=str)


def positions_of(variant: Variant) -> list[Position]:
    plies = range(3 if variant is ONE_ROW else 8)
    return [one for n in plies for one in random_openings(8, n, variant, n)]


@EACH_VARIANT
def test_it_is_the_network_for_many_boards_on_one_of_them(variant):
    network, board = random_network(variant, 24, 2, 4), variant.board
    canvas = Canvas(board.height + 2, board.width + 1)
    on_canvas = CellNetwork(canvas, 24, 2, 4, copies=variant.copies)
    weights = network.state_dict()
    # A larger canvas has more offsets, and those of this board among them.
    wide, larger = network.geometry, on_canvas.geometry
    table = torch.zeros_like(on_canvas.offsets.weight)
    at = torch.arange(board.height * board.width)
    y, x = at // board.width, at % board.width
    moved = (y + 1) * (board.width + 1) + x
    for sees in (False, True):
        seeing = torch.full((len(at), len(at)), sees)
        table[larger.pairs(moved, seeing)] = weights["offsets.weight"][wide.pairs(at, seeing)]
    on_canvas.load_state_dict(weights | {"offsets.weight": table})

    positions = positions_of(variant)
    with torch.no_grad():
        flat = torch.from_numpy(observe_batch(positions, "flat"))
        logits, values = network(flat)
        planes = torch.from_numpy(observe_batch(positions, "planes", canvas=canvas))
        expected, expected_values = on_canvas(planes)
    own = torch.from_numpy(np.asarray(canvas.actions(variant)))
    torch.testing.assert_close(logits, expected[:, own], rtol=1e-4, atol=1e-4)
    torch.testing.assert_close(values, expected_values, rtol=1e-4, atol=1e-4)
    assert logits.std() > 0.1

    counts = torch.from_numpy(observe_batch(positions, "flat", "uint8"))
    torch.testing.assert_close(network.from_counts(counts), flat)


def test_draws_turn_whole_positions():
    """Under each symmetry, a position with its mask and policy is still a position."""
    position = Position.from_record("1. a1+, d1+; 2. d3x")
    mask = mask_batch([position])
    policy = np.arange(65, dtype=np.float16)[None] * mask
    sample = Samples(
        np.zeros(1, np.int64),
        observe_batch([position], "flat", "uint8"),
        mask,
        policy,
        np.array([[1, 3]], np.float32),
        np.arange(65, dtype=np.uint8)[None] * mask.astype(np.uint8),
    )
    replay = Replay(SymmetricBoards(STANDARD), 1)
    replay.extend(sample)
    drawn = replay.draw(200, torch.Generator().manual_seed(0))
    expected = set()
    for cells, actions in zip(Variant().board.symmetries, Variant().action_symmetries, strict=True):
        moved = np.zeros_like(policy[0])
        moved[np.asarray(actions)] = policy[0]
        observation = sample.observations[0].copy()
        for plane in range(3):
            part = sample.observations[0][plane * 16 : (plane + 1) * 16]
            observation[plane * 16 + np.asarray(cells)] = part
        expected.add((observation.tobytes(), moved.astype(np.float32).tobytes()))
    observations, masks, policies, values, regrets = drawn
    assert torch.equal(regrets, policies.to(torch.uint8))  # both have the number of the action
    found = set()
    for row, legal, moved in zip(observations, masks, policies, strict=True):
        assert torch.equal(legal, moved > 0)
        found.add((row.numpy().tobytes(), moved.numpy().tobytes()))
    assert found == expected and len(found) == 8
    assert (values == torch.tensor([1.0, 3.0])).all()


@pytest.mark.parametrize("knowledge", ["exact", "pure"])
def test_a_run_learns_and_goes_on(knowledge, tmp_path):
    config, out = tiny(knowledge=knowledge), tmp_path / "run"
    train(config, Budget(games=32), out)
    first = load_policy(out)
    state = train(config, Budget(games=64), out, resume=True)
    assert state.log[-1]["games"] == 64
    positions = positions_of(Variant())
    masks = mask_batch(positions)
    for policy in (load_policy(out), load_policy(f"{out}:8")):
        actions = policy.act_batch(positions)
        assert masks[np.arange(len(actions)), actions].all()
    assert not np.array_equal(
        first.action_probabilities(positions), load_policy(out).action_probabilities(positions)
    )


def test_a_command_shows_its_losses_from_the_second_round_on(tmp_path, capsys):
    assert main(["train", "--games=32", *TINY_OPTIONS, "--out", str(tmp_path)]) == 0
    shown = capsys.readouterr().err  # the first round only plays and has no losses
    assert "nothing to learn from yet" in shown and "loss policy" in shown and "nan" not in shown


def test_a_run_may_learn_with_bfloat16(tmp_path):
    """Weights stay float32, and differ by rounding from those of a run without it."""
    learned = {}
    for precision in ("float32", "bfloat16"):
        out = tmp_path / precision
        train(tiny(precision=precision), Budget(games=48), out)
        saved = torch.load(out / "checkpoint.pt", weights_only=True)
        learned[precision] = saved["network"]["cells.weight"]
    assert learned["bfloat16"].dtype == torch.float32
    change = (learned["bfloat16"] - learned["float32"]).abs()
    assert 0 < change.max() < 0.1


def test_a_network_may_have_no_blocks():
    network = CellNetwork(Variant(), 8, 0, 2)
    native = Network.from_torch(network)
    positions = positions_of(Variant())
    features = torch.from_numpy(observe_batch(positions, "flat"))
    logits = network(features)[0].detach().numpy()
    masks = mask_batch(positions).astype(bool)
    np.testing.assert_allclose(
        logits[masks], native.evaluate(features.numpy())[0][masks], atol=0.02
    )
