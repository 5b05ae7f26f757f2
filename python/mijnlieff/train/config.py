"""A run's settings and budget, as plain values that fit in a file."""

from __future__ import annotations

import dataclasses
import sys
from dataclasses import dataclass
from typing import Any, Self

from mijnlieff._mijnlieff import MAX_THREADS, SearchOptions
from mijnlieff._util.arguments import plain_number
from mijnlieff.train.presets import PRESETS, preset
from mijnlieff.train.settings import check_settings, documented, setting, settings_of

__all__ = [
    "ALGORITHMS",
    "BACKUPS",
    "CURVE_OPPONENTS",
    "FINAL_OPPONENTS",
    "KNOWLEDGE",
    "OPTIMIZERS",
    "PRECISIONS",
    "Budget",
    "TrainConfig",
]

ALGORITHMS = ("ppo", "alphazero")

KNOWLEDGE = ("exact", "pure")
"""What AlphaZero is given: exact labels, or the rules alone."""

OPTIMIZERS = ("adamw", "muon")

PRECISIONS = ("float32", "bfloat16")

BACKUPS = ("mean", "policy")

_SOLVING = ("solve_roots_below", "solve_leaves_below", "solved_temperature", "regret_weight")
"""Settings that pure self-play leaves at 0."""

CURVE_OPPONENTS = ("random", "greedy", "minimax:2")
"""Opponents of the measurements during a run, weakest first; names for `load_policy`."""

FINAL_OPPONENTS = (*CURVE_OPPONENTS, "minimax:4")
"""Players that every final table has."""

_MANY = 2**31 - 1
"""The upper limit of counts; larger integers overflow in PyTorch."""


@dataclass(frozen=True, slots=True)
class Budget:
    """How long to train; exactly one of the three is given.

    Attributes:
        minutes: wall time from the first round on, including the measurements after it.
        steps: actions played by all games together.
        games: finished games.
    """

    minutes: float | None = None
    steps: int | None = None
    games: int | None = None

    def __post_init__(self) -> None:
        """Check that one limit is given and that it is positive.

        Raises:
            ValueError: none or several limits, minutes that are not a positive number, or steps or
                games that are not a positive integer.
        """
        given = {
            name: value for name, value in dataclasses.asdict(self).items() if value is not None
        }
        if len(given) != 1:
            stated = ", ".join(f"{name}={value!r}" for name, value in given.items()) or "none"
            raise ValueError(f"give exactly one of minutes, steps and games, not {stated}")
        ((name, value),) = given.items()
        whole = name != "minutes"
        number = plain_number(value, whole=whole)
        # NaN fails every comparison.
        if number is None or not 0 < number or (not whole and number > sys.float_info.max):
            kind = "integer" if whole else "number"
            raise ValueError(f"{name} must be a positive {kind}, not {value!r}")
        object.__setattr__(self, name, number)

    def fraction(self, seconds: float, steps: int, games: int) -> float:
        """The spent share of the budget, 0 to 1.

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


@documented(PRESETS)
@dataclass(frozen=True, slots=True)
class TrainConfig:
    """Every setting of a run; the defaults are tuned for five minutes on two cores.

    Those for many boards are meant for an hour. Settings marked (ppo) or (alphazero) are ignored by
    the other algorithm, and those marked (boards) by runs on one board. `TrainConfig(...)` takes
    the plain defaults, `TrainConfig.of(algo, ...)` those of the algorithm and of its mode:
    `knowledge` names the two modes of AlphaZero, and settings that contradict it are refused.
    """

    algo: str = setting(
        "ppo",
        "ppo learns from the results of its games, alphazero from a tree search in every position",
        choices=ALGORITHMS,
    )
    knowledge: str = setting(
        "exact",
        "exact labels: positions with few empty cells and those of the opening book are solved, "
        "and so are small endings inside a search; pure: the rules and nothing else, no position "
        "is ever solved, neither in training nor when the run plays",
        choices=KNOWLEDGE,
        algo="alphazero",
    )
    seed: int = setting(
        0,
        "seed of the initial weights, actions, openings and minibatches",
        high=2**63 - 1,
    )
    num_envs: int = setting(
        2048,
        "games played at once; each round plays all of them to their end",
        low=1,
        high=65536,
    )
    random_plies: int = setting(
        4,
        "most random plies at the start of a game, drawn per game and not learned from; they lead "
        "to positions that self-play would not reach",
        high=1000,
    )
    random_opponents: float = setting(
        0.5,
        "share of the games in which one seat plays at random; pure self-play never learns to "
        "punish mistakes that it does not make",
        high=1,
        algo="ppo",
    )
    width: int = setting(
        32,
        "units of each cell in every layer; rounded up to a multiple of heads",
        low=1,
        high=8192,
    )
    blocks: int = setting(1, "residual blocks", high=100)
    heads: int = setting(
        8,
        "kernels of a block, each over the whole canvas",
        low=1,
        high=1024,
    )
    precision: str = setting(
        "float32",
        "numbers that products are computed in while learning, those of Muon too; bfloat16 is "
        "faster on processors with instructions for it (AMX, AVX512_BF16) and on GPUs, and slower "
        "on others",
        choices=PRECISIONS,
    )
    epochs: int = setting(2, "passes over the positions of a round", low=1, high=1000, algo="ppo")
    minibatch_size: int = setting(1024, "positions per gradient step", low=1, high=_MANY)
    learning_rate: float = setting(
        6e-3,
        "the optimizer's step size at the start, which falls linearly during the run",
    )
    gamma: float = setting(
        1.0,
        "discount of later rewards; 1 since games are short and only their end pays",
        high=1,
        algo="ppo",
    )
    gae_lambda: float = setting(0.8, "lambda of the advantage estimate", high=1, algo="ppo")
    clip_range: float = setting(
        0.2, "bound on the change of a probability per round, as a ratio", algo="ppo"
    )
    entropy_coef: float = setting(
        0.04,
        "weight of the entropy bonus at the start, which falls linearly to a tenth",
        algo="ppo",
    )
    value_weight: float = setting(1.0, "weight of the value losses relative to the policy loss")
    regret_weight: float = setting(
        1.0,
        "weight of the error in how many points each placement loses, relative to the policy loss; "
        "it is learned beside policy and values from positions that were solved, with a "
        "solved_temperature",
        algo="alphazero",
    )
    margin_coef: float = setting(
        0.25,
        "weight of the points margin relative to the outcome in the policy's objective; 0 plays "
        "for the outcome alone",
        algo="ppo",
    )
    num_simulations: int = setting(
        32, "simulations per search", low=1, high=2**24, algo="alphazero"
    )
    max_considered: int = setting(
        8, "most actions that a search samples at its root", low=1, high=1024, algo="alphazero"
    )
    c_scale: float = setting(
        0.2,
        "weight of the searched values against the network's logits, see SearchOptions",
        algo="alphazero",
    )
    backup: str = setting(
        "mean",
        "how values of simulations make up those of the positions above, see SearchOptions; with "
        "policy, a run plays with it too, and with a c_scale of 1",
        choices=BACKUPS,
        algo="alphazero",
    )
    margin_weight: float = setting(
        0.5,
        "share of the margin, as opposed to the outcome, in the value of a position, see "
        "SearchOptions",
        high=1,
        algo="alphazero",
    )
    solve_roots_below: int = setting(
        11,
        "most empty cells of a position whose policy and margin are learned from the exact solver, "
        "not from a search; those of the opening book are always",
        high=16,
        algo="alphazero",
    )
    solve_leaves_below: int = setting(
        8,
        "most empty cells of a position inside a search that is solved exactly",
        high=16,
        algo="alphazero",
    )
    solved_temperature: float = setting(
        3.0,
        "how far play strays from the best actions of solved positions, in points, so that "
        "mistakes are met too, see SelfPlay",
        algo="alphazero",
    )
    replay_positions: int = setting(
        400_000, "most recent positions kept to learn from", low=1, high=_MANY, algo="alphazero"
    )
    reuse: float = setting(
        4.0,
        "how often a position is learned from, on average",
        algo="alphazero",
    )
    return_lambda: float = setting(
        1.0,
        "share of what follows in the value to learn, as opposed to the network's value of the "
        "next position; with 1 only the end of the game and solved positions count",
        high=1,
        algo="alphazero",
    )
    optimizer: str = setting(
        "muon",
        "muon learns the hidden layers by orthogonal steps and the rest by AdamW; adamw learns all "
        "by AdamW",
        choices=OPTIMIZERS,
    )
    graded_positions: int = setting(
        2400,
        "positions of the seen boards, and as many of the unseen ones, that grades are made on",
        low=1,
        high=10_000_000,
        algo="boards",
    )
    weight_decay: float = setting(1e-4, "weight decay of the optimizer")
    max_grad_norm: float = setting(1.0, "gradients are scaled down to this norm")
    measurements: int = setting(
        20,
        "points on the learning curve, evenly spaced over the budget, the end included",
        low=1,
        high=1_000_000,
        may_change=True,
    )
    measurement_games: int = setting(
        200,
        "games against each opponent per point of the curve",
        low=2,
        high=1_000_000,
        even=True,
        may_change=True,
    )
    checkpoint_seconds: float = setting(20.0, "wall time between checkpoints", may_change=True)
    num_threads: int | None = setting(
        None,
        "threads of PyTorch; runs repeat only with the same number",
        low=1,
        high=MAX_THREADS,
        may_change=True,
    )
    play_threads: int | None = setting(
        None,
        "threads of self-play in this process, which the games do not depend on; the machine's "
        "choice is all cores that PyTorch leaves",
        low=1,
        high=MAX_THREADS,
        algo="alphazero",
        may_change=True,
    )

    def __post_init__(self) -> None:
        """Check every field.

        Raises:
            ValueError: a value of the wrong kind or out of range, or one that contradicts
                `knowledge`; names field and value.
        """
        check_settings(self)
        if self.algo == "alphazero":
            self._check_knowledge()

    def _check_knowledge(self) -> None:
        if self.knowledge == "pure":
            for name in _SOLVING:
                if value := getattr(self, name):
                    raise ValueError(
                        f"{name} must be 0 with knowledge 'pure', which solves nothing, not "
                        f"{value!r} (TrainConfig.of has the defaults of each mode)"
                    )
        elif not self.solve_roots_below:
            raise ValueError(
                "solve_roots_below must be at least 1 with knowledge 'exact', which learns from "
                "solved positions, not 0; to learn from the rules alone choose knowledge 'pure'"
            )

    @property
    def is_exact(self) -> bool:
        """Whether it learns from exact labels, as AlphaZero does with knowledge `"exact"`."""
        return self.algo == "alphazero" and self.knowledge == "exact"

    @property
    def search_options(self) -> SearchOptions:
        """The searches of its games."""
        return SearchOptions(
            self.num_simulations,
            max_considered=self.max_considered,
            c_scale=self.c_scale,
            backup=self.backup,
            margin_weight=self.margin_weight,
            solve_roots_below=self.solve_roots_below,
            solve_leaves_below=self.solve_leaves_below,
        )

    @classmethod
    def of(cls, algo: str, *, many_boards: bool = False, **settings: Any) -> Self:
        """The settings of an algorithm, with its own defaults for those not given.

        Args:
            algo: `"ppo"` or `"alphazero"`.
            many_boards: take the defaults for a run on many boards, see `Boards`.
            settings: fields by name; `knowledge` decides on the defaults of others.

        Raises:
            ValueError: an unknown algorithm, a value out of range, or one that contradicts
                `knowledge`.
        """
        knowledge = settings.get("knowledge", settings_of(cls)["knowledge"].default)
        tuned = preset(algo, knowledge, many_boards=many_boards)
        return cls(**(tuned | settings | {"algo": algo}))

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Self:
        """Rebuild a config from `dataclasses.asdict`.

        Raises:
            ValueError: a field is missing, unknown or out of range.
        """
        names = set(settings_of(cls))
        if names != set(values):
            odd = ", ".join(sorted(names ^ set(values)))
            raise ValueError(f"the settings do not match this version: {odd} missing or unknown")
        return cls(**values)
