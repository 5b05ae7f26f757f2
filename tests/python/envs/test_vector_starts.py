"""Where the games of VectorEnv start: random plies, and given positions for some of them."""

import itertools

import numpy as np
import pytest

from board_shapes import SMALL, VARIANTS
from mijnlieff import Board, Position, RandomPolicy, Variant, VectorEnv, errors
from players import First
from vector_model import model_and_env, play


@pytest.mark.parametrize("opponent", [None, "random", First()], ids=["self", "random", "own"])
@pytest.mark.parametrize("auto_pass", [False, True])
@pytest.mark.parametrize("name", [*SMALL, "anywhere3", "large"])
def test_random_plies_agree_with_the_model(name, auto_pass, opponent):
    variant = VARIANTS[name]
    longest = variant.max_game_length - 1
    modes = itertools.product(("same_step", "next_step", "disabled"), {1, 4, longest})
    for autoreset, plies in modes:
        options = {
            "opponent": opponent,
            "auto_pass": auto_pass,
            "autoreset": autoreset,
            "random_plies": min(plies, longest),
        }
        env, model = model_and_env(7, 5, variant=variant, **options)
        assert play(env, model, 40) > 0


@pytest.mark.parametrize(
    ("plies", "error"), [(17, ValueError), (33, ValueError), (-1, ValueError), (True, TypeError)]
)
def test_impossible_numbers_of_random_plies(plies, error):
    variant = Variant(Board.from_blocks([(0, 0), (2, 0)]))
    assert variant.max_game_length == 17
    with pytest.raises(error, match=f"random_plies must be .*{plies}"):
        VectorEnv(2, variant, random_plies=plies)


def test_positions_for_some_games_leave_the_others_alone():
    env, untouched = VectorEnv(5), VectorEnv(5)
    env.reset(seed=0)
    untouched.reset(seed=0)
    for _ in range(4):
        actions = untouched.sample_actions()
        untouched.step(actions), env.step(actions)
    mask = np.array([False, True, False, True, False])
    new = [Position().play("a1+"), Position().play("a1+").play("a3><")]
    observations, info = env.set_positions(new, mask=mask)
    before = untouched.positions()
    assert env.positions() == [before[0], new[0], before[2], new[1], before[4]]
    for row, position in zip(observations, env.positions(), strict=True):
        assert np.array_equal(row, position.observation("flat"))
    assert np.array_equal(info["action_mask"].astype(bool), env.action_masks())


def test_masks_of_positions_are_checked():
    env, start = VectorEnv(3), Position()
    one = np.array([True, False, False])
    with pytest.raises(errors.GameOverError, match="never started"):
        env.set_positions([start], mask=one)
    env.set_positions([start] * 3, mask=np.ones(3, bool))
    before = env.positions()
    for positions, mask, error, text in [
        ([start] * 3, one, ValueError, "1 games need 1 positions, not 3"),
        ([start], one[:2], ValueError, "shape"),
        ([], np.zeros(3, bool), ValueError, "selects no game"),
        ([start], [True, False, False], TypeError, "NumPy array of bool"),
    ]:
        with pytest.raises(error, match=text):
            env.set_positions(positions, mask=mask)
    assert env.positions() == before


@pytest.mark.parametrize("autoreset", ["same_step", "next_step", "disabled"])
def test_action_masks_are_those_of_the_last_observations(autoreset):
    env = VectorEnv(40, opponent=RandomPolicy(), autoreset=autoreset)
    with pytest.raises(Exception, match="reset the environment"):
        env.action_masks()
    _, info = env.reset(seed=1)
    for _ in range(8):
        masks = env.action_masks()
        assert masks.dtype == bool and masks.flags.writeable
        assert np.array_equal(masks, info["action_mask"].astype(bool))
        masks[:] = False
        assert env.action_masks().any(axis=1).all()
        *_, info = env.step(env.sample_actions())


def test_last_masks_can_only_be_read():
    env = VectorEnv(200)
    env.reset(seed=0)
    while "final_info" not in (info := env.step(env.sample_actions())[-1]):
        pass
    masks = info["final_info"]["action_mask"]
    assert masks.shape == (200, 65) and masks.dtype == np.int8
    with pytest.raises(ValueError):
        masks[0, 0] = 1
    with pytest.raises(ValueError):
        masks.setflags(write=True)
    assert (masks.sum(axis=1) == 1).all() and masks[:, -1].all()
