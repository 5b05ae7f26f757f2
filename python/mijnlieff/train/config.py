"""A run's settings and budget, as plain values that a file can hold."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass
from typing import Any, Self

from mijnlieff._mijnlieff import MAX_THREADS

__all__ = ["ALGORITHMS", "CURVE_OPPONENTS", "Budget", "TrainConfig"]

CURVE_OPPONENTS = ("random", "greedy", "minimax:2")
"""Whom a run is measured against on the way; names that `make_policy` knows, by strength."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How long to train; exactly one of the three is given.

    Attributes:
        minutes: wall time of the training loop, measurements during it included.
        steps: actions played by all games together.
        games: finished games.
    """

    minutes: float | None = None
    steps: int | None = None
    games: int | None = None

    def __post_init__(self) -> None:
        """Check that one limit is given and that it is positive.

        Raises:
            ValueError: none or several limits, or one that is not a positive number.
        """
        given = {
            name: value for name, value in dataclasses.asdict(self).items() if value is not None
        }
        if len(given) != 1:
            stated = ", ".join(f"{name}={value!r}" for name, value in given.items()) or "none"
            raise ValueError(f"give exactly one of minutes, steps and games, not {stated}")
        ((name, value),) = given.items()
        if not (_is_number(value) and math.isfinite(value) and value > 0):
            raise ValueError(f"{name} must be a positive number, not {value!r}")

    def fraction(self, seconds: float, steps: int, games: int) -> float:
        """Share of the budget that is spent, 0 to 1.

        Args:
            seconds: wall time spent in the training loop.
            steps: actions played.
            games: games finished.
        """
        if self.minutes is not None:
            spent = seconds / (60.0 * self.minutes)
        elif self.steps is not None:
            spent = steps / self.steps
        else:
            assert self.games is not None  # exactly one limit is given
            spent = games / self.games
        return min(1.0, spent)


@dataclass(frozen=True, slots=True)
class TrainConfig:
    """Every setting of the learner; the defaults are tuned for five minutes on two cores.

    Those marked PPO or AlphaZero are not used by the other algorithm.

    Attributes:
        algo: `"ppo"` learns from the results of its games, `"alphazero"` from a tree search in
            every position.
        seed: of the network's first weights, the actions, the openings and the minibatches.
        num_envs: games played at once; each round plays all of them to their end.
        random_plies: a game opens with 0 to this many uniformly random plies (drawn per game),
            which are not learnt from; they lead to positions that its own play would not reach.
        random_opponents: (PPO) share of the games in which one seat moves uniformly at random, 0
            to 1. Pure self-play never learns to punish the mistakes that it does not make.
        width: units of every hidden layer.
        blocks: residual blocks of two layers each.
        epochs: (PPO) passes over the positions of a round.
        minibatch_size: positions per gradient step.
        learning_rate: Adam's step size at the start; falls linearly to a twentieth of it.
        gamma: (PPO) discount of later rewards; 1 because games are short and only the end pays.
        gae_lambda: (PPO) lambda of the advantage estimate.
        clip_range: (PPO) bound on how far a probability may move per round, as a ratio.
        entropy_coef: (PPO) weight of the entropy bonus at the start; falls linearly to a tenth of
            it.
        value_weight: weight of the value losses beside the policy loss.
        margin_coef: (PPO) weight of the points margin, beside the outcome, in what the policy
            maximises; 0 plays for the result alone.
        num_simulations: (AlphaZero) of the search in every position.
        max_considered: (AlphaZero) actions that the search samples at its root.
        c_scale: (AlphaZero) weight of the values found against the network's logits, see
            `TreeSearch`.
        margin_weight: (AlphaZero) share of the margin, beside the outcome, in what the search takes
            a position to be worth, see `TreeSearch`.
        solve_below: (AlphaZero) positions with at most this many empty cells are solved exactly.
        replay_positions: (AlphaZero) positions kept to learn from.
        reuse: (AlphaZero) how often a position is learnt from, on average.
        weight_decay: (AlphaZero) AdamW's.
        max_grad_norm: gradients are scaled down to this norm.
        measurements: how often the run is measured against the built-in players, evenly spaced over
            its budget, the end included.
        measurement_games: games against each of them in each measurement; an even number.
        checkpoint_seconds: wall time between checkpoints.
        threads: of PyTorch; None leaves its default. Part of what makes a run repeatable.
    """

    algo: str = "ppo"
    seed: int = 0
    num_envs: int = 4096
    random_plies: int = 4
    random_opponents: float = 0.5
    width: int = 256
    blocks: int = 1
    epochs: int = 2
    minibatch_size: int = 2048
    learning_rate: float = 6e-3
    gamma: float = 1.0
    gae_lambda: float = 0.8
    clip_range: float = 0.2
    entropy_coef: float = 0.04
    value_weight: float = 1.0
    margin_coef: float = 0.25
    num_simulations: int = 32
    max_considered: int = 8
    c_scale: float = 0.2
    margin_weight: float = 0.5
    solve_below: int = 9
    replay_positions: int = 400_000
    reuse: float = 4.0
    weight_decay: float = 1e-4
    max_grad_norm: float = 1.0
    measurements: int = 20
    measurement_games: int = 200
    checkpoint_seconds: float = 20.0
    threads: int | None = None

    def __post_init__(self) -> None:
        """Check every field.

        Raises:
            ValueError: a value of the wrong kind or out of range; names field and value.
        """
        if self.algo not in ALGORITHMS:
            raise ValueError(f"unknown algo {self.algo!r}; choose {' or '.join(ALGORITHMS)}")
        for field in dataclasses.fields(self):
            if field.name == "algo":
                continue
            value = getattr(self, field.name)
            if field.name == "threads" and value is None:
                continue
            whole = field.name in _WHOLE
            low, high = _RANGES.get(field.name, (1, math.inf) if whole else (0.0, math.inf))
            kind = "a whole number" if whole else "a number"
            wrong = not _is_number(value) or (whole and not isinstance(value, int))
            if wrong or not low <= value <= high or math.isinf(value):
                bounds = f"from {low}" + ("" if math.isinf(high) else f" to {high}")
                raise ValueError(f"{field.name} must be {kind} {bounds}, not {value!r}")
        if self.measurement_games % 2:
            raise ValueError(f"measurement_games must be even, not {self.measurement_games}")

    @classmethod
    def of(cls, algo: str, **settings: Any) -> Self:
        """The settings of an algorithm, tuned for it where they are not given.

        Args:
            algo: `"ppo"` or `"alphazero"`.
            settings: fields by name.

        Raises:
            ValueError: an unknown algorithm, or a value out of range.
        """
        return cls(algo=algo, **(ALGORITHMS.get(algo, {}) | settings))

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """Rebuild a config from `dataclasses.asdict`.

        Raises:
            ValueError: a field is missing, unknown or out of range.
        """
        names = {field.name for field in dataclasses.fields(cls)}
        if names != set(values):
            odd = ", ".join(sorted(names ^ set(values)))
            raise ValueError(f"the settings do not match this version: {odd} missing or unknown")
        return cls(**values)


# What each algorithm does better with than with the defaults of the fields.
ALGORITHMS: dict[str, dict[str, Any]] = {
    "ppo": {},
    "alphazero": {
        "num_envs": 512,
        # As much to learn as to play, with a thread each.
        "width": 384,
        "blocks": 2,
        "learning_rate": 2e-3,
        "minibatch_size": 1024,
        "threads": 1,  # each for self-play and for learning, which run side by side
    },
}

_WHOLE = {
    "num_simulations",
    "max_considered",
    "solve_below",
    "replay_positions",
    "seed",
    "num_envs",
    "random_plies",
    "width",
    "blocks",
    "epochs",
    "minibatch_size",
    "measurements",
    "measurement_games",
    "threads",
}
_RANGES: dict[str, tuple[float, float]] = {
    "seed": (0, 2**63 - 1),
    "num_envs": (1, 65536),
    "random_plies": (0, 1000),
    "width": (1, 8192),
    "blocks": (0, 100),
    "random_opponents": (0.0, 1.0),
    "gamma": (0.0, 1.0),
    "gae_lambda": (0.0, 1.0),
    "threads": (1, MAX_THREADS),
    "max_considered": (1, 1024),
    "margin_weight": (0.0, 1.0),
    "solve_below": (0, 16),
}


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value
