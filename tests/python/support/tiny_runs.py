"""Runs of training that are small enough for tests: by PPO on one board, and on many boards."""

from __future__ import annotations

from pathlib import Path

from mijnlieff.train import Budget, TrainConfig, TrainState, train
from mijnlieff.train.run.checkpoint import load_checkpoint

TINY = {"num_envs": 16, "width": 16, "num_threads": 1, "measurement_games": 2, "measurements": 2}
TINY_OPTIONS = [f"--{name.replace('_', '-')}={value}" for name, value in TINY.items()] + [
    "--algo=ppo",
    "--final-games=2",
    "--no-tensorboard",
]
CONFIG = TrainConfig.of("ppo", **TINY)
TWO_BLOCKS = "arrangements:2:corners"
"""Three boards of 8 cells."""


def quiet(state: TrainState) -> None:
    """Keep progress off standard error."""


def ppo_run(out: Path, rounds: int, **options: object) -> TrainState:
    """Train for a number of rounds; a round finishes at least 16 games, one per environment."""
    settings = {"on_report": quiet, "tensorboard": False} | options
    return train(CONFIG, Budget(games=16 * rounds), out, **settings)


def weights(folder: Path) -> bytes:
    """The weights of a run's network in its checkpoint."""
    saved = load_checkpoint(folder / "checkpoint.pt")
    return b"".join(value.numpy().tobytes() for value in saved.network.values())


def tiny(**settings):
    small = {
        "num_envs": 16,
        "width": 8,
        "blocks": 1,
        "heads": 2,
        "num_simulations": 4,
        "random_plies": 2,
        "solve_roots_below": 5,
        "solve_leaves_below": 0,
        "minibatch_size": 16,
        "replay_positions": 500,
        "graded_positions": 12,
        "measurement_games": 2,
        "measurements": 1,
    }
    return TrainConfig.of("alphazero", many_boards=True, **(small | settings))
