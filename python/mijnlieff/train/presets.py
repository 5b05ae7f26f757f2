"""The defaults of each kind of run, where they are not the plain ones."""

from __future__ import annotations

from typing import Any

__all__ = ["PRESETS", "preset"]

ALPHAZERO: dict[str, Any] = {
    "num_envs": 512,
    "random_plies": 10,
    "width": 96,
    "blocks": 3,
    "minibatch_size": 512,
    "learning_rate": 5e-3,
    "num_simulations": 16,
    "backup": "policy",
    # More optimal moves than with half, in training and in play, and as many that keep the outcome.
    "margin_weight": 0.75,
    "reuse": 1.0,
    # Learning has one thread, and self-play all other cores.
    "num_threads": 1,
}

BOARDS: dict[str, Any] = {
    "learning_rate": 4e-3,
    "num_simulations": 32,
    # Other values of these two were not tried.
    "backup": "mean",
    "margin_weight": 0.5,
    "solve_roots_below": 12,
    "reuse": 3.0,
    "optimizer": "adamw",
}
"""AlphaZero on many boards."""

PURE: dict[str, Any] = {
    "solve_roots_below": 0,
    "solve_leaves_below": 0,
    "solved_temperature": 0.0,
    "regret_weight": 0.0,
    "reuse": 2.0,
    "return_lambda": 0.8,
    "num_simulations": 24,
    "c_scale": 0.5,
    "weight_decay": 0.1,
}
"""AlphaZero from the rules alone."""

PRESETS = {
    "for alphazero": ALPHAZERO,
    "on many boards": BOARDS,
    "for pure": PURE,
}
"""When each applies, in words; the later ones replace what the earlier ones say."""


def preset(algo: str, knowledge: str, *, many_boards: bool) -> dict[str, Any]:
    """The settings of a kind of run that differ from the plain defaults.

    Args:
        algo: the algorithm.
        knowledge: what AlphaZero is given.
        many_boards: whether the run is on many boards.
    """
    if algo != "alphazero":
        return {}
    found = dict(ALPHAZERO)
    if many_boards:
        found |= BOARDS
    if knowledge == "pure":
        found |= PURE
    return found
