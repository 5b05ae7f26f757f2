"""AlphaZero: self-play with searches, the replay buffer and learning."""

from __future__ import annotations

import dataclasses
import math
import threading

import numpy as np
import pytest
import torch

from board_shapes import WIDE
from mijnlieff import (
    Board,
    NetworkPolicy,
    Position,
    Tablebase,
    Variant,
    evaluate,
    load_policy,
    solve,
)
from mijnlieff.cli.main import main
from mijnlieff.errors import CheckpointError, PolicyError, TrainingError
from mijnlieff.train.alphazero import AlphaZero, Replay
from mijnlieff.train.boards import Boards
from mijnlieff.train.config import Budget
from mijnlieff.train.network import CellNetwork, new_network
from mijnlieff.train.play.local import LocalBackend
from mijnlieff.train.play.policy import search_policy
from mijnlieff.train.play.samples import Samples
from mijnlieff.train.play.symmetric_boards import SymmetricBoards
from mijnlieff.train.run.checkpoint import load_checkpoint
from mijnlieff.train.run.folder import RunFolder
from mijnlieff.train.run.policy import policy_from_checkpoint
from mijnlieff.train.run.trainer import Trainer
from tiny_runs import STANDARD, TINY_OPTIONS, played_round, tiny


def replay_of(capacity: int) -> Replay:
    return Replay(SymmetricBoards(STANDARD), capacity)


def samples(count: int, first: int = 0) -> Samples:
    """Samples whose margin is their number."""
    return Samples(
        boards=np.zeros(count, np.int64),
        observations=np.full((count, 56), 1, np.uint8),
        masks=np.ones((count, 65), np.int8),
        policies=np.full((count, 65), 1 / 65, np.float16),
        values=np.stack([np.ones(count), np.arange(first, first + count)], 1).astype(np.float32),
        regrets=np.zeros((count, 65), np.uint8),
    )


def test_the_replay_buffer_forgets_the_oldest():
    buffer = replay_of(10)
    buffer.extend(samples(7))
    assert len(buffer) == 7
    buffer.extend(samples(7, first=7))
    assert len(buffer) == 10
    drawn = buffer.draw(2000, torch.Generator().manual_seed(0))[3][:, 1]
    assert sorted(set(drawn.tolist())) == list(range(4, 14))
    buffer.extend(samples(25, first=100))
    drawn = buffer.draw(2000, torch.Generator().manual_seed(0))[3][:, 1]
    assert sorted(set(drawn.tolist())) == list(range(115, 125))


@pytest.mark.parametrize("variant", [Variant(), WIDE], ids=str)
def test_samples_belong_to_their_positions(variant):
    config = tiny(random_plies=2, knowledge="pure", return_lambda=1.0)
    network = CellNetwork(variant, 32, 1, 4)
    games = played_round(network, Boards((variant,)), config, seed=1)
    rows = games.samples
    assert games.games == config.num_envs
    assert games.simulations == config.num_simulations * len(rows)
    assert not rows.masks[:, -1].any()  # forced passes are left out
    assert not rows.regrets.any()  # nothing is solved
    np.testing.assert_allclose(rows.policies.astype(np.float32).sum(axis=1), 1.0, atol=0.01)
    assert (rows.policies[rows.masks == 0] == 0).all()
    assert (np.sign(rows.values[:, 1]) == rows.values[:, 0]).all()
    cells = variant.board.num_cells
    # A placement is open on the cells that the observation marks as allowed.
    open_cells = rows.masks[:, :-1].reshape(len(rows), 4, cells).any(axis=1)
    np.testing.assert_array_equal(open_cells, rows.observations[:, 2 * cells : 3 * cells] == 1)


def test_solved_endings_teach_the_truth():
    """On a board of six cells everything is solved, so targets and results agree with `solve`."""
    variant = Variant(Board.from_text("###\n###"), "anywhere", 1)
    network = CellNetwork(variant, 16, 1, 4)
    config = tiny(random_plies=0, solve_roots_below=6, num_envs=8)
    games = played_round(network, Boards((variant,)), config, seed=0)
    assert games.simulations == 0
    solution = solve(Position(variant))
    firsts = games.samples.observations[:, :12].sum(axis=1) == 0
    assert firsts.sum() == config.num_envs
    margins = solution.action_margins
    for policy, regrets in zip(
        games.samples.policies[firsts], games.samples.regrets[firsts], strict=True
    ):
        assert set(np.flatnonzero(policy)) == set(solution.best_actions)
        lost = {int(action): int(regrets[action]) - 1 for action in np.flatnonzero(regrets)}
        assert lost == {action: solution.margin - margin for action, margin in margins.items()}
    assert (games.samples.values[firsts, 1] == solution.margin).all()


def test_exact_runs_learn_exact_labels_of_the_whole_game():
    config = tiny(num_envs=60, random_plies=10)
    games = played_round(CellNetwork(Variant(), 16, 1, 4), STANDARD, config, seed=0)
    assert games.simulations == 0
    rows = games.samples
    stones = rows.observations[:, :32].sum(axis=1)
    assert set(range(11)) <= set(stones.tolist())
    # Dark wins the game after every first move.
    assert (rows.values[stones == 0, 0] == -1).all()
    assert (rows.values[stones == 1, 0] == 1).all()
    # Mistakes are made later, and learned from.
    assert {-1, 0, 1} == set(rows.values[stones == 6, 0])


@pytest.mark.parametrize("knowledge", ["exact", "pure"])
@pytest.mark.parametrize("optimizer", ["adamw", "muon"])
def test_a_run_repeats_itself(knowledge, optimizer):
    def rounds() -> list[object]:
        config = tiny(knowledge=knowledge, optimizer=optimizer)
        trainer = Trainer(config, Budget(steps=3_000), STANDARD)
        losses = [trainer.train_round() for _ in range(3)]
        assert all((loss.simulations > 0) == (knowledge == "pure") for loss in losses)
        assert all(loss.play_seconds > 0 for loss in losses)
        # The first only plays.
        assert [math.isnan(loss.policy_loss) for loss in losses] == [True, False, False]
        assert losses[2].learn_seconds > 0
        for loss in losses:
            assert (loss.evaluations > 0) == (knowledge == "pure")
            assert loss.solved == (loss.samples if knowledge == "exact" else 0) and loss.samples
        losses = [dataclasses.replace(x, play_seconds=0, learn_seconds=0) for x in losses]
        state = [x.detach().numpy().tobytes() for x in trainer.network.parameters()]
        return [losses[1:], state, dataclasses.asdict(trainer.counters)]

    assert rounds() == rounds()


def test_positions_are_learned_from_as_often_as_asked(monkeypatch):
    """Also where no round has enough for a step."""
    trainer = Trainer(tiny(num_envs=2, reuse=1.5), Budget(steps=100_000), STANDARD)
    method, steps = trainer._method, []
    step = method.step
    monkeypatch.setattr(method, "step", lambda *batch: steps.append(batch) or step(*batch))
    rounds = [trainer.train_round() for _ in range(20)]
    trainer.close()
    # Those of the last round are learned from in the next.
    learned = 1.5 * sum(losses.samples for losses in rounds[:-1])
    assert max(losses.samples for losses in rounds) * 1.5 < 64
    assert len(steps) == int(learned / 64) > 5
    assert len(steps) == sum(not math.isnan(losses.policy_loss) for losses in rounds)


@pytest.mark.parametrize(
    ("settings", "solved"),
    [
        ({}, 9),
        ({"solve_roots_below": 6}, 6),
        ({"knowledge": "pure"}, None),
        ({"algo": "ppo"}, None),
    ],
    ids=["exact", "fewer", "pure", "ppo"],
)
def test_a_search_in_play_solves_what_training_did(tmp_path, settings, solved):
    trainer = Trainer(tiny(**settings), Budget(steps=100), STANDARD)
    folder = RunFolder(tmp_path)
    trainer.save(folder)
    trainer.close()
    policy = load_policy(f"{tmp_path}:2")
    assert policy.exact_endings == (None if solved is None else (solved, 8))
    assert "root='gumbel'" in repr(policy)
    assert policy_from_checkpoint(tmp_path, 2, 0, solve_below=0).exact_endings is None
    assert policy_from_checkpoint(tmp_path, 2, 0, solve_below=5).exact_endings == (5, 8)


@pytest.mark.parametrize(
    ("settings", "backup", "c_scale"),
    [
        ({}, "policy", 1.0),
        ({"knowledge": "pure"}, "policy", 1.0),
        ({"backup": "mean"}, "mean", 0.5),
        ({"algo": "ppo"}, "mean", 0.5),
    ],
    ids=["exact", "pure", "mean", "ppo"],
)
def test_a_run_backs_values_up_in_play_as_in_training(settings, backup, c_scale):
    config = tiny(**settings)
    search = search_policy(new_network(STANDARD, config), config, 2).search
    assert (search.backup, search.c_scale) == (backup, c_scale)
    assert search.margin_weight == config.margin_weight


def test_modes_are_in_checkpoints_and_cannot_change(tmp_path, capsys):
    out = tmp_path / "run"
    options = [*TINY_OPTIONS, "--num-simulations=2", "--knowledge=pure"]
    assert main(["train", "--games=16", "--out", str(out), *options]) == 0
    assert "games of self-play from the rules alone" in capsys.readouterr().out
    saved = load_checkpoint(out / "checkpoint.pt").config
    assert (saved.knowledge, saved.solve_roots_below, saved.optimizer) == ("pure", 0, "muon")
    assert main(["train", "--resume", "--knowledge=exact", "--out", str(out)]) == 1
    assert "with knowledge pure, which cannot become exact" in capsys.readouterr().err
    assert main(["train", "--knowledge=pure", "--solve-roots-below=5"]) != 0
    assert "solve_roots_below must be 0 with knowledge 'pure'" in capsys.readouterr().err


def test_a_learner_that_fails_stops_the_games_too():
    trainer = Trainer(tiny(learning_rate=1e30), Budget(steps=100_000), STANDARD)
    with pytest.raises(TrainingError, match="try a learning rate below"):
        for _ in range(5):
            trainer.train_round()
    assert not [t for t in threading.enumerate() if t.name == "mijnlieff-self-play"]


@pytest.mark.parametrize("when", ["begin", "collect"])
def test_ctrl_c_stops_the_games_too(when, monkeypatch):
    """A second Ctrl-C raises in the learning thread, wherever that is."""
    generator = torch.Generator()
    config = tiny(knowledge="pure", num_envs=20_000)
    network = CellNetwork(Variant(), 16, 1, 4)
    source = LocalBackend().source(STANDARD, config, generator)
    method = AlphaZero(network, replay_of(100), config, generator, source)

    def interrupted(*arguments: object) -> None:
        if when == "begin":
            begin(*arguments)
        raise KeyboardInterrupt

    begin = source.begin
    monkeypatch.setattr(source, when, interrupted)
    with pytest.raises(KeyboardInterrupt):
        method.round(0.0, 0)
    left = [t for t in threading.enumerate() if t.name == "mijnlieff-self-play"]
    source.close()
    assert left == []


def test_games_that_fail_are_reported():
    network = CellNetwork(Variant(), 16, 1, 4)
    generator = torch.Generator()
    config = tiny(knowledge="pure")
    source = LocalBackend().source(STANDARD, config, generator)
    method = AlphaZero(network, replay_of(100), config, generator, source)
    torch.nn.init.constant_(network.placements.bias, float("nan"))
    with pytest.raises(CheckpointError, match="infinite or NaN"):
        method.round(0.0, 0)
    torch.nn.init.constant_(network.placements.bias, 3e38)
    torch.nn.init.constant_(network.placements.weight, 3e38)
    with pytest.raises(PolicyError, match="evaluation cannot be used"):
        method.round(0.0, 0)


def test_games_with_a_tablebase_are_those_of_the_solver(tmp_path):
    variant = Variant(Board.from_text("##..\n####\n..##"), copies=1)
    boards, played = Boards((variant,)), []
    table = Tablebase.build(tmp_path / "table", variant)
    config = tiny(solve_roots_below=16)
    for backend in (LocalBackend(), LocalBackend(table)):
        generator = torch.Generator().manual_seed(1)
        network = CellNetwork(variant, 16, 1, 4)
        source = backend.source(boards, config, generator)
        source.begin(network, 0)
        played.append(source.collect())
        source.close()
    solved, looked_up = played
    assert looked_up.solved == solved.solved > 0
    for field in dataclasses.fields(Samples):
        expected = getattr(solved.samples, field.name)
        np.testing.assert_array_equal(getattr(looked_up.samples, field.name), expected)
    for refused in (tiny("ppo"), tiny(knowledge="pure")):
        with pytest.raises(ValueError, match="would change nothing"):
            LocalBackend(table).source(boards, refused, torch.Generator())
    with pytest.raises(ValueError, match="8 cells and 1 copies"):
        LocalBackend(table).source(STANDARD, config, torch.Generator())


def test_a_short_run_learns(tmp_path, capsys):
    out = tmp_path / "run"
    options = ["--algo=alphazero", "--num-envs=128", "--width=32", "--num-threads=1"]
    options += ["--num-simulations=8", "--measurement-games=20", "--final-games=40"]
    assert main(["train", "--steps=40000", "--out", str(out), *options]) == 0
    table = capsys.readouterr().out
    assert "The network alone" in table
    assert "With 64 simulations" in table
    policy = load_policy(f"{out}:16")
    assert policy.act(Position()) in Position().legal_actions()
    trained = load_policy(out)
    fresh = CellNetwork(Variant(), 32, 2, 8)  # its logits are 0, so it plays the first action
    before = evaluate(NetworkPolicy(fresh), "random", 400, seed=3).score
    after = evaluate(trained, "random", 400, seed=3).score
    assert after > before + 0.2
    assert main(["train", "--resume", "--algo=ppo", "--out", str(out)]) == 1
    assert "algo alphazero, which cannot become ppo" in capsys.readouterr().err
