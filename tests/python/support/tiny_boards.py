"""Settings of training on many boards that are small enough for tests."""

from __future__ import annotations

from mijnlieff.train import TrainConfig

TWO_BLOCKS = "arrangements:2:corners"
"""Three boards of 8 cells."""


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
