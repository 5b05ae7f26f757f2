"""Runs of training that are small enough for tests, and what they leave in their folders."""

from __future__ import annotations

import json
from pathlib import Path

from mijnlieff import Network, Variant
from mijnlieff.train import Boards, Budget, TrainConfig, TrainState, train
from mijnlieff.train.network import CellNetwork
from mijnlieff.train.play.samples import SearchGames
from mijnlieff.train.play.search import play_round, self_play
from mijnlieff.train.play.symmetric_boards import SymmetricBoards
from mijnlieff.train.run.checkpoint import load_checkpoint
from mijnlieff.train.run.folder import RunFolder
from mijnlieff.train.run.trainer import Trainer

STANDARD = Boards((Variant(),))
"""The standard game alone."""
TWO_BLOCKS = "arrangements:2:corners"
"""Three boards of 8 cells."""

TINY = {
    "num_envs": 16,
    "width": 16,
    "blocks": 1,
    "heads": 2,
    "minibatch_size": 64,
    "num_threads": 1,
    "measurement_games": 2,
    "measurements": 2,
}
"""Settings of every tiny run."""
SEARCHES = {"num_simulations": 4, "replay_positions": 500}
"""More of them with searches."""
EIGHT_CELLS = {
    "random_plies": 2,
    "solve_roots_below": 5,
    "solve_leaves_below": 0,
    "graded_positions": 12,
}
"""More of them on boards of 8 cells, which the usual ones would solve without a search."""

TINY_OPTIONS = [f"--{name.replace('_', '-')}={value}" for name, value in TINY.items()] + [
    "--final-games=2",
    "--no-tensorboard",
]


def tiny(algo: str = "alphazero", many_boards: bool = False, **settings: object) -> TrainConfig:
    """The settings of a tiny run; those for many boards are meant for `TWO_BLOCKS`."""
    searches = SEARCHES if algo == "alphazero" else {}
    small = TINY | searches | (EIGHT_CELLS if many_boards else {})
    return TrainConfig.of(algo, many_boards=many_boards, **(small | settings))


def quiet(state: TrainState) -> None:
    """Keep progress off standard error."""


def ppo_run(out: Path, rounds: int, **options: object) -> TrainState:
    """Train for a number of rounds; a round finishes at least 16 games, one per environment."""
    settings = {"on_report": quiet, "tensorboard": False} | options
    return train(tiny("ppo"), Budget(games=16 * rounds), out, **settings)


def trainer_of(boards: Boards = STANDARD, **settings: object) -> Trainer:
    """A run by PPO that has not begun."""
    return Trainer(tiny("ppo", **settings), Budget(steps=5_000), boards)


def resumed(folder: RunFolder) -> Trainer:
    """The run of a folder, from its checkpoint."""
    saved = load_checkpoint(folder.checkpoint)
    return Trainer.resume(saved, folder.checkpoint, saved.config, saved.budget)


def saved_run(path: Path) -> RunFolder:
    """A folder with the checkpoint of a run of two rounds."""
    folder = RunFolder(path)
    folder.create()
    trainer = trainer_of()
    for _ in range(2):
        trainer.train_round()
    trainer.save(folder)
    trainer.close()
    return folder


def played_round(
    network: CellNetwork, boards: Boards, config: TrainConfig, seed: int
) -> SearchGames:
    """A round of self-play by a network."""
    games = self_play(Network.from_torch(network), boards, config, seed)
    return play_round(games, config, SymmetricBoards(boards))


def read_log(folder: Path) -> list[dict[str, object]]:
    """The rounds of a run."""
    return [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]


def weights(folder: Path) -> dict[str, bytes]:
    """The weights of a run's network in its checkpoint."""
    saved = load_checkpoint(folder / "checkpoint.pt")
    return {name: value.numpy().tobytes() for name, value in saved.network.items()}
