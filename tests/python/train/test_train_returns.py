"""Lambda-returns, compared with a plain loop over each game."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from mijnlieff import Board, Network, Variant
from mijnlieff.train.boards import Boards
from mijnlieff.train.config import Budget
from mijnlieff.train.network import CellNetwork
from mijnlieff.train.play.local import LocalBackend
from mijnlieff.train.play.returns import lambda_returns
from mijnlieff.train.play.search import self_play
from mijnlieff.train.process import play_threads, torch_threads
from mijnlieff.train.run.trainer import Trainer
from random_networks import random_network
from tiny_runs import STANDARD, TINY, tiny

MANY = Boards((Variant(), Variant(Board.from_text("####\n####"))))


def network_for(boards: Boards) -> CellNetwork:
    scope = boards.seen[0] if boards.canvas is None else boards.canvas
    return random_network(scope, 16, 1, 4, copies=2, seed=3)


def games_of(boards: Boards, **settings: object):
    config = tiny(random_plies=3, **settings)
    native = Network.from_torch(network_for(boards))
    return self_play(native, boards, config, 5).play(config.num_envs), native


def plainly(played, network: CellNetwork, share: float) -> np.ndarray:
    """The returns by their definition, one game after the other, with values from PyTorch."""
    observations = played.observations.astype(np.float32)
    hands = observations[:, -8:] if observations.ndim == 2 else observations[:, 4:]
    hands /= 2
    values = network.evaluate(observations, played.action_masks)[1] * (1, 4)
    found = np.stack([played.outcomes, played.margins], axis=1).astype(np.float64)
    for row in reversed(range(len(played) - 1)):
        after = row + 1
        if played.games[row] == played.games[after] and not played.exact[row]:
            sign = 1 if played.to_play[row] == played.to_play[after] else -1
            value = found[after] if played.exact[after] else values[after]
            found[row] = sign * ((1 - share) * value + share * found[after])
    return found


@pytest.mark.parametrize("share", [0.0, 0.6])
@pytest.mark.parametrize("boards", [STANDARD, MANY], ids=["one board", "several boards"])
def test_returns_follow_their_definition(boards, share):
    played, native = games_of(boards, knowledge="pure")
    found = lambda_returns(played, native, share)
    expected = plainly(played, network_for(boards), share)
    assert len(np.unique(played.games)) == TINY["num_envs"]
    # The native network has weights and activations of 16 bits.
    np.testing.assert_allclose(found, expected, atol=0.02)
    ends = np.append(np.diff(played.games) > 0, True)
    np.testing.assert_array_equal(found[ends, 1], played.margins[ends])
    assert not np.allclose(found[~ends, 1], played.margins[~ends], atol=0.5)


def test_with_a_lambda_of_one_only_results_count():
    played, native = games_of(STANDARD, knowledge="pure")
    found = lambda_returns(played, native, 1.0)
    np.testing.assert_array_equal(found[:, 0], played.outcomes)
    np.testing.assert_array_equal(found[:, 1], played.margins)


def test_solved_positions_keep_their_results_and_give_them_to_the_position_before():
    played, native = games_of(STANDARD, solve_roots_below=6, solve_leaves_below=0)
    assert 0 < played.exact.sum() < len(played)
    found = lambda_returns(played, native, 0.5)
    np.testing.assert_array_equal(found[played.exact, 1], played.margins[played.exact])
    before = np.flatnonzero(~played.exact[:-1] & played.exact[1:] & (np.diff(played.games) == 0))
    assert len(before)
    np.testing.assert_array_equal(found[before, 1], played.margins[before])
    np.testing.assert_allclose(found, plainly(played, network_for(STANDARD), 0.5), atol=0.02)


def test_a_run_learns_from_them():
    def losses(share: float) -> float:
        config = tiny(knowledge="pure", return_lambda=share)
        trainer = Trainer(config, Budget(steps=3_000), STANDARD)
        try:
            return [trainer.train_round() for _ in range(2)][1].margin_loss
        finally:
            trainer.close()

    # At first the network gives values of 0, which are nearer to 0 than the ends of games.
    assert losses(0.0) < 0.8 * losses(1.0)


def test_self_play_has_the_cores_that_learning_leaves(monkeypatch):
    cpu, device = torch.device("cpu"), torch.device("cuda")
    for cores, on_cpu, on_device in ((6, 4, 5), (1, 1, 1), (5000, 1024, 1024)):
        monkeypatch.setattr("mijnlieff.train.process.num_cores", lambda cores=cores: cores)
        with torch_threads(2):
            assert (play_threads(cpu), play_threads(device)) == (on_cpu, on_device)


@pytest.mark.parametrize(("given", "expected"), [(None, 5), (3, 3)])
def test_a_run_plays_on_these_threads_unless_told_otherwise(monkeypatch, given, expected):
    asked = []

    def recorded(*args: object) -> object:
        asked.append(args[-1])
        return self_play(*args)

    monkeypatch.setattr("mijnlieff.train.play.local.self_play", recorded)
    monkeypatch.setattr("mijnlieff.train.play.local.play_threads", lambda device: 5)
    config = tiny(knowledge="pure", play_threads=given)
    source = LocalBackend().source(STANDARD, config, torch.Generator())
    source.begin(network_for(STANDARD), 0)
    source.collect()
    assert asked == [expected]


def test_threads_of_self_play_change_no_game():
    def samples(threads: int) -> torch.Tensor:
        config = tiny(knowledge="pure", play_threads=threads)
        generator = torch.Generator().manual_seed(0)
        source = LocalBackend().source(STANDARD, config, generator)
        source.begin(network_for(STANDARD), 0)
        return source.collect().samples.observations

    np.testing.assert_array_equal(samples(1), samples(3))
