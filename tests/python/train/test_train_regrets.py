"""What networks learn of the points that each action loses."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from mijnlieff import Board, Canvas, Network, Variant
from mijnlieff.encoding import observe_batch
from mijnlieff.evaluation import random_openings
from mijnlieff.solving import solve_batch
from mijnlieff.train.alphazero.alphazero import AlphaZero
from mijnlieff.train.alphazero.replay import Replay
from mijnlieff.train.network import CellNetwork, new_network
from mijnlieff.train.network.regrets import regret_loss, regrets_of
from mijnlieff.train.play.samples import Samples
from mijnlieff.train.play.symmetric_boards import SymmetricBoards
from random_networks import random_network
from tiny_runs import STANDARD, tiny

UNKNOWN = np.iinfo(np.int16).min


def test_regrets_are_the_points_lost():
    solved = solve_batch(random_openings(40, 9, seed=1))
    regrets = regrets_of(solved.action_margins)
    assert regrets.dtype == np.uint8
    for found, margins, best in zip(regrets, solved.action_margins, solved.margins, strict=True):
        for action, margin in enumerate(margins):
            assert found[action] == (0 if margin == UNKNOWN else best - margin + 1)


def test_regrets_of_unknown_and_far_margins():
    margins = np.array([[UNKNOWN, UNKNOWN], [200, -200], [7, UNKNOWN]], np.int16)
    np.testing.assert_array_equal(regrets_of(margins), [[0, 0], [1, 255], [1, 0]])
    assert regrets_of(np.empty((0, 65), np.int16)).shape == (0, 65)


def test_the_loss_is_the_mean_square_of_what_is_known():
    found = torch.tensor([[0.5, 3.0, 9.0], [1.0, 2.0, 4.0]], requires_grad=True)
    # Regrets of 0 and 4 points; one of 20, which counts as 12; and nothing.
    regrets = torch.tensor([[1, 5, 0, 0], [0, 21, 0, 0]], dtype=torch.uint8)
    loss = regret_loss(found, regrets)
    errors = [0.5 - 0, 3.0 - 4 / 4, 2.0 - 12 / 4]
    assert loss.item() == pytest.approx(np.mean(np.square(errors)))
    loss.backward()
    expected = [[errors[0], errors[1], 0.0], [0.0, errors[2], 0.0]]
    torch.testing.assert_close(found.grad, torch.tensor(expected) * 2 / 3)


def test_without_known_regrets_nothing_is_learned():
    found = torch.ones(2, 3, requires_grad=True)
    loss = regret_loss(found, torch.zeros(2, 4, dtype=torch.uint8))
    loss.backward()
    assert loss.item() == 0 and not found.grad.any()


@pytest.mark.parametrize("precision", ["float32", "bfloat16"])
def test_regrets_come_beside_the_same_outputs(precision):
    network = random_network(Variant(), 16, 2, 4)
    counts = torch.from_numpy(observe_batch(random_openings(20, 5, seed=2), "flat", "uint8"))
    logits, values, regrets = network.outputs_with_regrets(counts, precision)
    for found, expected in zip((logits, values), network.outputs(counts, precision), strict=True):
        torch.testing.assert_close(found, expected, rtol=0, atol=0)
    assert regrets.shape == (20, 64) and regrets.dtype == torch.float32
    assert regrets.std() > 0.1


def test_a_canvas_has_the_regrets_of_a_board():
    variant = Variant(Board.from_text("####\n.###\n####"))
    small = random_network(variant, 16, 1, 4)
    large = random_network(Canvas(3, 4), 16, 1, 4, copies=2)
    positions = random_openings(20, 3, variant, seed=3)
    of_board = small.outputs_with_regrets(
        torch.from_numpy(observe_batch(positions, "flat", "uint8")), "float32"
    )
    planes = observe_batch(positions, "planes", "uint8", Canvas(3, 4))
    on_canvas = large.outputs_with_regrets(torch.from_numpy(planes), "float32")
    slots = torch.from_numpy(Canvas(3, 4).actions(variant))
    torch.testing.assert_close(on_canvas[0][:, slots], of_board[0])
    torch.testing.assert_close(on_canvas[2][:, slots[:-1]], of_board[2])


def test_files_have_no_regrets():
    network = random_network(Variant(), 16, 1, 4)
    count = sum(weights.numel() for weights in network.parameters())
    assert len(network.weights()) == count - (4 * 16 + 4)
    native = Network.from_torch(network)
    other = CellNetwork(Variant(), 16, 1, 4)
    other.load_weights(native.weights)
    assert Network.from_torch(other) == native
    assert not other.regrets.weight.any()


def learner(weight: float) -> AlphaZero:
    config = tiny(regret_weight=weight)
    torch.manual_seed(0)
    network = new_network(STANDARD, config)
    replay = Replay(SymmetricBoards(STANDARD), 400)
    positions = random_openings(400, 10, seed=4)
    solved = solve_batch(positions)
    replay.extend(
        Samples(
            np.zeros(len(positions), np.int64),
            observe_batch(positions, "flat", "uint8"),
            solved.action_mask,
            solved.policy_targets.astype(np.float16),
            np.stack([np.sign(solved.margins), solved.margins], axis=1).astype(np.float32),
            regrets_of(solved.action_margins),
        )
    )
    generator = torch.Generator().manual_seed(0)
    method = AlphaZero(network, replay, config, generator, source=None)
    losses = [method.step(replay.draw(128, generator), 5e-3) for _ in range(60)]
    method.losses = torch.stack(losses)
    return method


def test_regrets_are_learned_as_much_as_their_weight_says():
    weighted, unweighted = learner(1.0), learner(0.0)
    first, last = weighted.losses[:5, 3].mean(), weighted.losses[-5:, 3].mean()
    assert last < 0.7 * first
    assert unweighted.losses[0, 3] == weighted.losses[0, 3]
    assert not unweighted.network.regrets.bias.any()
    assert (unweighted.losses[-1, 0] != weighted.losses[-1, 0]).item()
