"""Environments, wrappers and pictures with games of many variants, and options that are refused."""

from __future__ import annotations

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

from mijnlieff import Board, Canvas, MijnlieffEnv, Variant, VariantError, VectorEnv
from mijnlieff.envs import MaskInObservation
from mixed_variants import VARIANTS, WEIGHTS


@pytest.mark.parametrize("opponent", ["random", None])
def test_a_single_environment_starts_the_games_of_the_batch(opponent):
    options = {"variants": VARIANTS, "variant_weights": WEIGHTS, "opponent": opponent}
    batch = VectorEnv(5, autoreset="disabled", illegal_action="lose", **options)
    singles = [MijnlieffEnv(**options) for _ in range(5)]
    observations, info = batch.reset(seed=21)
    for i, env in enumerate(singles):
        own, single = env.reset(seed=21 + i)
        np.testing.assert_array_equal(own, observations[i])
        assert single["variant"] == info["variant"][i]
        assert env.variant == VARIANTS[single["variant"]] == env.position.variant
        assert env.variants == tuple(VARIANTS) and env.canvas == batch.canvas
        assert env.action_space.n == batch.num_actions and own in env.observation_space


def test_gymnasium_makes_and_checks_the_environments():
    env = gymnasium.make("Mijnlieff-v0", variants=VARIANTS)
    check_env(env.unwrapped, skip_render_check=True)
    options = {"variants": VARIANTS, "variant_weights": WEIGHTS}
    native = gymnasium.make_vec("Mijnlieff-v0", num_envs=3, **options)
    assert isinstance(native.unwrapped, VectorEnv) and native.unwrapped.canvas == Canvas(4, 6)
    sync = gymnasium.make_vec(
        "Mijnlieff-v0",
        num_envs=3,
        vectorization_mode="sync",
        vector_kwargs={"autoreset_mode": AutoresetMode.SAME_STEP},
        **options,
    )
    ours, theirs = native.reset(seed=5), sync.reset(seed=5)
    np.testing.assert_array_equal(ours[0], theirs[0])
    assert ours[-1]["variant"].tolist() == theirs[-1]["variant"].tolist()


def test_wrappers_take_environments_of_many_variants():
    env = MaskInObservation(VectorEnv(6, variants=VARIANTS))
    observations, info = env.reset(seed=3)
    assert observations in env.observation_space
    np.testing.assert_array_equal(observations["action_mask"], info["action_mask"])
    env = MaskInObservation(MijnlieffEnv(variants=VARIANTS))
    observation, _ = env.reset(seed=3)
    assert observation in env.observation_space
    listed = gymnasium.wrappers.vector.DictInfoToList(VectorEnv(4, variants=VARIANTS))
    _, infos = listed.reset(seed=3)
    assert all(isinstance(VARIANTS[info["variant"]], Variant) for info in infos)
    counted = gymnasium.wrappers.vector.RecordEpisodeStatistics(VectorEnv(4, variants=VARIANTS))
    counted.reset(seed=3)
    counted.step(counted.unwrapped.sample_actions())


def test_pictures_show_each_board():
    env = VectorEnv(12, variants=VARIANTS, render_mode="ansi")
    env.reset(seed=1)
    assert list(env.render()) == [str(position) for position in env.positions()]
    env = VectorEnv(12, variants=VARIANTS, render_mode="rgb_array")
    _, info = env.reset(seed=1)
    shapes = {i: picture.shape for i, picture in zip(info["variant"], env.render(), strict=True)}
    assert len(set(shapes.values())) > 1


ONE = {"variants": [Variant()]}


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"variants": []}, ValueError, "at least one variant"),
        ({"variants": [], "canvas": Canvas(4, 4)}, ValueError, "at least one variant"),
        ({"variants": Variant()}, TypeError, r"variants must be a list of Variant, not Variant\("),
        ({"variants": "standard"}, TypeError, "variants must be a list of Variant, not 'standard'"),
        ({"variant": 4}, TypeError, "variant must be a Variant, or its text or dict, not 4"),
        (
            {"variants": [Variant(), 4]},
            TypeError,
            "variant 1 must be a Variant, or its text or dict, not 4",
        ),
        ({"variants": [Variant()] * 65536}, ValueError, "1 to 65535 variants .*, not 65536"),
        ({"variant": Variant(), **ONE}, ValueError, r"give variant=.* or variants, not both"),
        (
            {"variant": [Variant()]},
            TypeError,
            r"give several variants as variants=, not variant=\[Variant\(",
        ),
        ({"variant": "x" * 10**6}, VariantError, r"^\"x{60}\.\.\.\" is not a variant"),
        ({"variant_weights": [1]}, ValueError, "variant_weights need variants"),
        ({**ONE, "variant_weights": [1, 2]}, ValueError, "1 variants need 1 weights, not 2"),
        ({**ONE, "variant_weights": []}, ValueError, "1 variants need 1 weights, not 0"),
        ({**ONE, "variant_weights": [0]}, ValueError, "all weights are 0"),
        ({**ONE, "variant_weights": [-1]}, ValueError, "weight 0 is -1"),
        ({**ONE, "variant_weights": [float("nan")]}, ValueError, "weight 0 is NaN"),
        ({**ONE, "variant_weights": [float("inf")]}, ValueError, "weight 0 is inf"),
        ({**ONE, "variant_weights": 3}, TypeError, "variant_weights must be a list of numbers"),
        ({**ONE, "variant_weights": ["x"]}, TypeError, r"variant_weights\[0\] must be a number"),
        ({**ONE, "variant_weights": [True]}, TypeError, r"variant_weights\[0\] must be a number"),
        ({**ONE, "variant_weights": [2**2000]}, ValueError, "weight 0 is inf"),
        ({**ONE, "variant_weights": [-1e-300]}, ValueError, "weight 0 is -1e-300;"),
        (
            {**ONE, "variant_weights": np.ones(1, complex)},
            TypeError,
            r"variant_weights\[0\] must be a number, not (np\.complex128)?\(1\+0j\)",
        ),
        (
            {**ONE, "variant_weights": np.ones(1, bool)},
            TypeError,
            r"variant_weights\[0\] must be a number, not (np\.True_|True)$",
        ),
        ({**ONE, "canvas": (4, 4)}, TypeError, r"canvas must be a Canvas or None, not \(4, 4\)"),
        ({"canvas": "4x4"}, TypeError, "canvas must be a Canvas or None, not '4x4'"),
        (
            {**ONE, "canvas": Canvas(4, 3)},
            VariantError,
            "variant 0: a board of 4 rows and 4 columns",
        ),
        ({"canvas": Canvas(3, 4)}, VariantError, "a board of 4 rows and 4 columns does not fit"),
        ({**ONE, "observation": "flat"}, ValueError, 'on a canvas are "planes", not "flat"'),
        ({**ONE, "observation": "packed"}, ValueError, 'on a canvas are "planes", not "packed"'),
        ({"canvas": Canvas(4, 4), "observation": "flat"}, ValueError, 'are "planes", not "flat"'),
        ({**ONE, "observation": "square"}, ValueError, "unknown observation layout"),
        (
            {"variants": [*ONE["variants"], Variant(Board.from_text("#.#"), copies=1)]}
            | {"random_plies": 9},
            ValueError,
            "random_plies must be 0 to ",
        ),
    ],
)
@pytest.mark.parametrize("make", [lambda **kw: VectorEnv(2, **kw), MijnlieffEnv])
def test_impossible_options_are_refused(make, options, error, message):
    with pytest.raises(error, match=message):
        make(**options)
