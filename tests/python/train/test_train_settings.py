"""The settings of a run: every declaration reaches the checks, the options and the docstring."""

from __future__ import annotations

import re
import typing

import numpy as np
import pytest

from mijnlieff.cli.main import main
from mijnlieff.train.config import Budget, TrainConfig
from mijnlieff.train.settings import settings_of

NAN = float("nan")
SETTINGS = settings_of(TrainConfig)
HINTS = typing.get_type_hints(TrainConfig)


@pytest.mark.parametrize("name", SETTINGS)
def test_every_setting_is_declared_in_one_place(name, capsys):
    declared = SETTINGS[name]
    allowed = {declared.kind, type(None)} if declared.default is None else {declared.kind}
    assert set(typing.get_args(HINTS[name]) or [HINTS[name]]) == allowed
    assert main(["train", "--help-all"]) == 0
    words = " ".join(capsys.readouterr().out.split())
    assert f"--{name.replace('_', '-')} " in words
    assert " ".join(declared.help.split()) in words.replace("self- play", "self-play")
    assert f"\n    {name}: " in TrainConfig.__doc__
    assert " ".join(declared.help.split()) in " ".join(TrainConfig.__doc__.split())


def test_algorithms_have_their_own_defaults():
    assert TrainConfig.of("ppo") == TrainConfig()
    config = TrainConfig.of("alphazero", width=64)
    assert (config.algo, config.num_envs, config.num_threads, config.width) == (
        "alphazero",
        512,
        1,
        64,
    )
    assert (TrainConfig().num_envs, TrainConfig().num_threads) == (2048, None)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"algo": "dqn"}, "unknown algo 'dqn'; choose ppo or alphazero"),
        ({"seed": -1}, "seed must be an integer from 0 to 9223372036854775807, not -1"),
        ({"width": 16.0}, "width must be an integer from 1 to 8192, not 16.0"),
        ({"width": True}, "width must be an integer from 1 to 8192, not True"),
        ({"width": None}, "width must be an integer from 1 to 8192, not None"),
        ({"minibatch_size": 10**400}, "minibatch_size must be an integer from 1 to 2147483647"),
        ({"gamma": 1.5}, "gamma must be a number from 0 to 1, not 1.5"),
        ({"learning_rate": NAN}, "learning_rate must be a number from 0, not nan"),
        ({"learning_rate": float("inf")}, "learning_rate must be a number from 0, not inf"),
        ({"learning_rate": "1"}, "learning_rate must be a number from 0, not '1'"),
        ({"measurement_games": 3}, "measurement_games must be an even integer from 2 to"),
        ({"num_threads": 0}, "num_threads must be an integer from 1 to 1024, not 0"),
    ],
)
def test_wrong_values_are_refused(settings, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        TrainConfig(**settings)


def test_the_ends_of_the_ranges_are_allowed():
    TrainConfig(seed=2**63 - 1, width=1, gamma=0, gae_lambda=1.0, blocks=0, solve_leaves_below=16)


def test_each_mode_has_its_own_defaults():
    exact, pure = (TrainConfig.of("alphazero", knowledge=name) for name in ("exact", "pure"))
    assert exact == TrainConfig.of("alphazero")
    assert (exact.width, exact.blocks, exact.minibatch_size) == (96, 3, 512)
    assert (exact.num_simulations, exact.reuse, exact.return_lambda) == (16, 1.0, 1.0)
    assert (pure.num_simulations, pure.reuse, pure.return_lambda) == (24, 2.0, 0.8)
    assert exact.search_options.backup == pure.search_options.backup == "policy"
    solving = ("solve_roots_below", "solve_leaves_below", "solved_temperature", "regret_weight")
    assert [getattr(pure, name) for name in solving] == [0, 0, 0, 0]
    assert all(getattr(exact, name) > 0 for name in solving)
    assert TrainConfig.of("ppo", knowledge="pure") == TrainConfig(knowledge="pure")


def test_runs_on_many_boards_have_their_own_defaults():
    many = TrainConfig.of("alphazero", many_boards=True)
    assert (many.num_simulations, many.reuse) == (32, 3.0)
    assert many.search_options.backup == "mean"


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        (
            {"knowledge": "pure", "solve_roots_below": 5},
            "solve_roots_below must be 0 with knowledge 'pure', which solves nothing, not 5",
        ),
        (
            {"knowledge": "pure", "solve_leaves_below": 1},
            "solve_leaves_below must be 0 with knowledge 'pure', which solves nothing, not 1",
        ),
        (
            {"knowledge": "pure", "solved_temperature": 0.5},
            "solved_temperature must be 0 with knowledge 'pure', which solves nothing, not 0.5",
        ),
        (
            {"solve_roots_below": 0},
            "solve_roots_below must be at least 1 with knowledge 'exact', which learns from solved "
            "positions, not 0; to learn from the rules alone choose knowledge 'pure'",
        ),
        ({"knowledge": "rules"}, "unknown knowledge 'rules'; choose exact or pure"),
        ({"optimizer": "sgd"}, "unknown optimizer 'sgd'; choose adamw or muon"),
    ],
)
def test_settings_that_contradict_a_mode_are_refused(settings, message):
    with pytest.raises(ValueError, match=f"^{re.escape(message)}"):
        TrainConfig.of("alphazero", **settings)


def test_ppo_ignores_what_alphazero_is_given():
    TrainConfig(knowledge="pure", solve_roots_below=5)
    TrainConfig(solve_roots_below=0)


@pytest.mark.parametrize("limit", [0, -1, NAN, float("inf"), True, "5", np.int64(0), np.True_])
def test_a_budget_is_a_positive_number(limit):
    for name, kind in (("minutes", "number"), ("steps", "integer"), ("games", "integer")):
        message = re.escape(f"{name} must be a positive {kind}, not {limit!r}")
        with pytest.raises(ValueError, match=message):
            Budget(**{name: limit})


@pytest.mark.parametrize("limit", [0.5, 1000.0, np.float64(2)])
def test_steps_and_games_are_whole(limit):
    for name in ("steps", "games"):
        with pytest.raises(ValueError, match=f"{name} must be a positive integer, not"):
            Budget(**{name: limit})
    assert Budget(minutes=limit).minutes == limit


def test_numbers_of_numpy_become_numbers_of_python():
    """Checkpoints and reports hold plain values."""
    config = TrainConfig.of("ppo", width=np.int64(64), gamma=np.float32(0.5), seed=np.uint8(3))
    assert (config.width, config.gamma, config.seed) == (64, 0.5, 3)
    budgets = [
        Budget(steps=np.int64(1000)),
        Budget(games=np.int8(5)),
        Budget(minutes=np.float32(2)),
    ]
    values = [budgets[0].steps, budgets[1].games, budgets[2].minutes]
    assert values == [1000, 5, 2.0]
    plain = [type(value) for value in (config.width, config.gamma, config.seed, *values)]
    assert plain == [int, float, int, int, int, float]
    for wrong in (np.float64(64), np.True_):
        with pytest.raises(ValueError, match="width must be an integer from 1 to 8192, not np"):
            TrainConfig(width=wrong)


def test_a_budget_may_be_larger_than_every_float():
    assert Budget(steps=10**400).fraction(1.0, 1, 1) == 0.0
