"""Learning on a GPU: its CUDA graphs change nothing, and runs move between it and the processor."""

from __future__ import annotations

import copy

import pytest
import torch

from mijnlieff import Variant
from mijnlieff.train.alphazero import AlphaZero, Replay
from mijnlieff.train.network import CellNetwork, graph
from mijnlieff.train.play.local import LocalBackend
from mijnlieff.train.play.symmetric_boards import SymmetricBoards
from random_networks import random_network
from tiny_runs import STANDARD, played_round, tiny

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")

CONFIG = tiny(num_envs=64, minibatch_size=128, knowledge="pure", weight_decay=0.1)


def new_network() -> CellNetwork:
    return random_network(Variant(), 32, 2, 4, std=0.05)


def learner(device: str, network: CellNetwork) -> tuple[AlphaZero, Replay]:
    """Return a learner of a copy of the network, and its replay buffer with a round of games."""
    generator = torch.Generator().manual_seed(1)
    learning = copy.deepcopy(network).to(device)
    replay = Replay(SymmetricBoards(STANDARD), 4096, torch.device(device))
    replay.extend(played_round(network, STANDARD, CONFIG, seed=0).samples)
    source = LocalBackend().source(STANDARD, CONFIG, generator)
    return AlphaZero(learning, replay, CONFIG, generator, source), replay


def learn(method: AlphaZero, replay: Replay, steps: int, seed: int = 2) -> torch.Tensor:
    """Take steps whose rates differ; return their losses, on the processor."""
    generator = torch.Generator().manual_seed(seed)
    found = [
        method.step(replay.draw(CONFIG.minibatch_size, generator), 1e-2 / (1 + step)).cpu()
        for step in range(steps)
    ]
    return torch.stack(found)


def weights(method: AlphaZero) -> torch.Tensor:
    return torch.cat([it.detach().cpu().flatten() for it in method.network.parameters()])


def test_steps_by_graphs_are_those_without(monkeypatch):
    by_graph, replay = learner("cuda", new_network())
    losses = learn(by_graph, replay, 10)
    monkeypatch.setattr(graph, "_EAGER_CALLS", 100)
    eager, replay = learner("cuda", new_network())
    torch.testing.assert_close(losses, learn(eager, replay, 10), rtol=1e-3, atol=1e-4)
    torch.testing.assert_close(weights(by_graph), weights(eager), rtol=1e-3, atol=1e-4)
    assert by_graph._gradients._graph is not None  # there was one
    assert eager._gradients._graph is None


def test_a_gpu_learns_what_the_processor_learns():
    on_gpu, replay = learner("cuda", new_network())
    losses = learn(on_gpu, replay, 8)
    on_cpu, replay = learner("cpu", new_network())
    torch.testing.assert_close(losses, learn(on_cpu, replay, 8), rtol=1e-2, atol=1e-3)


def test_a_step_that_is_not_finite_is_not_taken():
    method, replay = learner("cuda", new_network())
    learn(method, replay, 6)
    with torch.no_grad():
        method.network.cells.bias[0] = torch.nan
    before = weights(method)
    with pytest.raises(FloatingPointError, match="loss nan"):
        learn(method, replay, 1)
    torch.testing.assert_close(weights(method), before, rtol=0, atol=0, equal_nan=True)


@pytest.mark.parametrize(("first", "second"), [("cuda", "cpu"), ("cpu", "cuda")])
def test_an_optimizer_moves_to_another_device(first, second):
    method, replay = learner(first, new_network())
    learn(method, replay, 6)
    moved, replay_there = learner(second, method.network.cpu())
    moved.optimizer.load_state_dict(copy.deepcopy(method.optimizer.state_dict()))
    method.network.to(first)
    losses = learn(moved, replay_there, 6, seed=3)
    assert torch.isfinite(losses).all()
    stayed, replay_here = learner(first, method.network.cpu())
    stayed.optimizer.load_state_dict(copy.deepcopy(method.optimizer.state_dict()))
    torch.testing.assert_close(losses, learn(stayed, replay_here, 6, seed=3), rtol=1e-2, atol=1e-3)
