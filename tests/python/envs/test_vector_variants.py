"""VectorEnv with games of many variants, held against the model and against single games."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import mijnlieff
from mijnlieff import (
    Board,
    Canvas,
    GameOverError,
    IllegalMoveError,
    NetworkPolicy,
    PolicyError,
    Position,
    PositionError,
    Variant,
    VectorEnv,
)
from mijnlieff.encoding import mask_batch, observe_batch
from mijnlieff.policies import FunctionPolicy, OpponentPool
from mixed_variants import LARGE, VARIANTS, WEIGHTS
from played import finished
from players import First
from vector_model import Stream, model_and_env, play

AUTORESET = ("same_step", "next_step", "disabled")


@pytest.mark.parametrize("autoreset", AUTORESET)
@pytest.mark.parametrize("opponent", [None, "random", First()], ids=["self", "random", "own"])
@pytest.mark.parametrize("illegal_action, auto_pass", [("raise", False), ("lose", True)])
def test_every_mode_agrees_with_the_model(autoreset, opponent, illegal_action, auto_pass):
    options = {"autoreset": autoreset, "opponent": opponent, "auto_pass": auto_pass}
    options |= {"illegal_action": illegal_action, "variants": VARIANTS}
    env, model = model_and_env(7, 40, **options)
    wild = np.random.default_rng(2) if illegal_action == "lose" else None
    assert play(env, model, 60, wild) > 10


@pytest.mark.parametrize("num_envs", [1, 7, 64])
@pytest.mark.parametrize(
    "options",
    [
        {"variants": VARIANTS, "variant_weights": WEIGHTS, "dtype": "uint8"},
        {"variants": LARGE, "canvas": Canvas(40, 33), "opponent": "random", "random_plies": 4},
        {"variants": VARIANTS, "random_plies": 1, "reward": "margin", "opponent": First()},
        {"variants": VARIANTS[1:4], "seat": "dark", "opponent": "random", "auto_pass": True},
        {"variants": [VARIANTS[2]], "variant_weights": [0.5]},
        {"variant": VARIANTS[2], "canvas": Canvas(5, 9)},
    ],
    ids=["weights", "large", "plies", "dark", "one", "canvas"],
)
def test_every_batch_size_agrees_with_the_model(num_envs, options):
    env, model = model_and_env(num_envs, 11, **options)
    play(env, model, 30)


def played(steps, num_envs, seed, **options):
    """All that an environment returns in random games, each array by game and step."""
    env = VectorEnv(num_envs, **options)
    rows = [(*env.reset(seed=seed),)]
    seen = []
    for step in range(steps + 1):
        observations, info = rows[-1][0], rows[-1][-1]
        seen.append([observations, info["action_mask"], info["to_play"], *rows[-1][1:-1]])
        if "variant" in info:
            seen[-1].append(info["variant"])
        if step < steps:
            rows.append(env.step(env.sample_actions()))
    return seen


def same(one, other, games):
    for ours, theirs in zip(one, other, strict=True):
        for left, right in zip(ours, theirs, strict=True):
            np.testing.assert_array_equal(left[games], right)


@pytest.mark.parametrize("opponent", [None, "random", "greedy", "minimax"])
def test_games_do_not_depend_on_threads_or_batch_size(opponent):
    options = {"variants": LARGE[:3], "opponent": opponent}
    whole = played(12, 2100, 5, num_threads=3, **options)
    for threads in (1, 2):
        same(whole, played(12, 2100, 5, num_threads=threads, **options), slice(None))
    for first, size in ((0, 1), (70, 7), (2000, 64)):
        same(whole, played(12, size, 5 + first, **options), slice(first, first + size))


def test_a_perfect_opponent_knows_the_board_of_each_game():
    texts = ("###\n###", "##..\n..##", "##", "###\n###")
    small = [Variant(Board.from_text(text), copies=1) for text in texts]
    env = VectorEnv(64, variants=small, opponent="perfect", seat="light", autoreset="next_step")
    _, info = env.reset(seed=9)
    assert set(info["variant"]) == {0, 1, 2, 3}
    best = [mijnlieff.solve(start).margin for start in env.positions()]
    going = np.ones(64, bool)
    while going.any():
        _, _, ended, _, info = env.step(env.sample_actions())
        for game in np.flatnonzero(going & ended):
            light, dark = info["score"][game]
            assert light - dark <= best[game]
        going &= ~ended


@pytest.mark.parametrize("opponent", [None, "random"])
def test_one_variant_on_its_own_canvas_plays_the_games_of_the_variant(opponent):
    for variant in LARGE:
        plain = VectorEnv(9, variant, opponent=opponent, observation="planes")
        canvases = [Canvas.around([variant]), Canvas(34, 34)]
        others = [VectorEnv(9, variants=[variant], canvas=f, opponent=opponent) for f in canvases]
        others.append(VectorEnv(9, variant, canvas=canvases[1], opponent=opponent))
        own, _ = plain.reset(seed=3)
        for env in others:
            seen, info = env.reset(seed=3)
            height, width = variant.board.height, variant.board.width
            np.testing.assert_array_equal(seen[:, :, :height, :width], own)
            assert ("variant" in info) == (env is not others[2])
            assert env.variant == variant and env.variants == (variant,)
        for _ in range(30):
            actions = plain.sample_actions()
            stepped = plain.step(actions)
            for env in others:
                numbers = env.canvas.actions(variant)
                assert env.sample_actions().tolist() == numbers[actions].tolist()
                seen, *rest, info = env.step(numbers[actions])
                for left, right in zip(rest, stepped[1:-1], strict=True):
                    np.testing.assert_array_equal(left, right)
                np.testing.assert_array_equal(
                    seen[:, :, : variant.board.height, : variant.board.width], stepped[0]
                )
                np.testing.assert_array_equal(
                    info["action_mask"][:, numbers], stepped[-1]["action_mask"]
                )
                assert [p.notation for p in env.positions()] == [
                    p.notation for p in plain.positions()
                ]


def test_variants_are_drawn_as_documented():
    count = 6000
    env = VectorEnv(count, variants=VARIANTS)
    drawn = env.reset(seed=17)[1]["variant"]
    assert drawn.tolist() == [Stream(17 + i, 0).below(6) for i in range(count)]
    weighted = VectorEnv(count, variants=VARIANTS, variant_weights=WEIGHTS)
    drawn = weighted.reset(seed=18)[1]["variant"]
    found = np.bincount(drawn, minlength=6)
    assert found[3] == 0
    expected = count * np.array(WEIGHTS, float) / np.sum(WEIGHTS)
    chosen = expected > 0
    # Chi-square with 4 degrees of freedom: above 30 less than once in 10^5.
    assert ((found - expected)[chosen] ** 2 / expected[chosen]).sum() < 30
    scaled = VectorEnv(count, variants=VARIANTS, variant_weights=[8 * w for w in WEIGHTS])
    assert scaled.reset(seed=18)[1]["variant"].tolist() == drawn.tolist()
    equal = VectorEnv(count, variants=VARIANTS, variant_weights=[0.3] * 6)
    plain = env.reset(seed=17)[1]["variant"]
    assert equal.reset(seed=17)[1]["variant"].tolist() == plain.tolist()


@pytest.mark.parametrize("dtype", ["float32", "uint8"])
def test_observations_and_masks_are_those_of_the_positions_on_the_canvas(dtype):
    env = VectorEnv(300, variants=LARGE, dtype=dtype)
    observations, info = env.reset(seed=1)
    assert env.variant is None and env.variants == tuple(LARGE)
    assert env.canvas == Canvas.around(LARGE) and env.num_actions == env.canvas.num_actions
    assert env.single_observation_space.shape == env.canvas.observation_shape
    assert env.single_action_space.n == env.num_actions
    if dtype == "uint8":
        assert env.single_observation_space.high.max() == 127
    for _ in range(15):
        positions = env.positions()
        expected = observe_batch(positions, dtype=dtype, canvas=env.canvas)
        np.testing.assert_array_equal(observations, expected)
        assert observations in env.observation_space
        np.testing.assert_array_equal(info["action_mask"], mask_batch(positions, env.canvas))
        np.testing.assert_array_equal(env.action_masks(), info["action_mask"].astype(bool))
        assert [p.variant for p in positions] == [env.variants[i] for i in info["variant"]]
        actions = env.sample_actions()
        assert actions in env.action_space
        observations, _, _, _, info = env.step(actions)


def test_a_state_of_other_variants_is_refused():
    env, fewer = VectorEnv(9, variants=VARIANTS), VectorEnv(9, variants=VARIANTS[:2])
    env.reset(seed=2)
    with pytest.raises(ValueError, match=r"the state has variant [2-5], there are only 2"):
        fewer._batch.restore(env._batch.state())


def test_games_can_be_put_at_positions_of_any_of_the_variants():
    env = VectorEnv(4, variants=VARIANTS)
    env.reset(seed=1)
    positions = [Position(VARIANTS[i]).play(0) for i in (2, 0, 1, 5)]
    observations, info = env.set_positions(positions)
    # The last variant is the first one again.
    assert info["variant"].tolist() == [2, 0, 1, 0]
    np.testing.assert_array_equal(observations, observe_batch(positions, canvas=env.canvas))
    mask = np.array([False, True, False, False])
    _, info = env.set_positions([Position(VARIANTS[3])], mask=mask)
    assert info["variant"].tolist() == [2, 3, 1, 0]
    other = Variant(Board.from_text("###"))
    with pytest.raises(PositionError, match=r"position 1 is of .*has 6 variants, and it is none"):
        env.set_positions([Position(), Position(other), Position(), Position()])
    with pytest.raises(PositionError, match=r"position 0 .* is over"):
        env.set_positions([finished(Position(VARIANTS[4]))], mask=mask)
    assert [position.variant for position in env.positions()] == [VARIANTS[i] for i in (2, 3, 1, 0)]


def test_an_illegal_action_is_named_by_its_number_on_the_canvas():
    env = VectorEnv(2, variants=VARIANTS[:2])
    env.reset(seed=0)
    env.set_positions([Position(VARIANTS[1]).play("c1+"), Position()])
    canvas, legal = env.canvas, np.flatnonzero(env.action_masks()[0]).tolist()
    fine = int(env.action_masks()[1].argmax())
    for action, message in (
        (2, r"game 0: action 2 \(c1\+\) is illegal: the cell is occupied; legal: "),
        (
            0,
            "game 0: action 0 is on column 0 and row 0 of the canvas, where this board has no cell",
        ),
        (
            8,
            "game 0: action 8 is on column 0 and row 2 of the canvas, where this board has no cell",
        ),
        (65, r"game 0: action 65 does not exist, actions are 0 to 64 \(pass\); legal: "),
        (-1, r"game 0: action -1 does not exist, actions are 0 to 64 \(pass\)"),
        (64, r"game 0: action 64 \(pass\) is illegal: a pass is legal only when"),
    ):
        with pytest.raises(IllegalMoveError, match=message) as caught:
            env.step([action, fine])
        assert caught.value.action == action and caught.value.env_index == 0
        assert caught.value.legal_actions == legal
    assert canvas == Canvas(4, 4) and env.positions()[1] == Position()
    losing = VectorEnv(2, variants=VARIANTS[:2], illegal_action="lose", autoreset="disabled")
    losing.reset(seed=0)
    losing.set_positions([Position(VARIANTS[1]).play("c1+"), Position()])
    _, rewards, ended, _, info = losing.step([0, fine])
    assert rewards.tolist() == [-1, 0] and ended.tolist() == [True, False]
    assert info["illegal"].tolist() == [True, False]
    with pytest.raises(GameOverError):
        losing.step([0, 0])


def by_canvas(observations, masks):
    return np.sin(np.arange(masks.shape[1]) * 1.3) + np.zeros((len(masks), 1))


def test_games_against_opponents_in_python_do_not_depend_on_the_batch():
    canvas = Canvas(6, 8)
    for policy in (
        NetworkPolicy(by_canvas, observation="planes", canvas=canvas),
        FunctionPolicy(lambda _, masks: masks.argmax(axis=1), observation="planes", canvas=canvas),
        First(),
    ):
        whole = played(15, 7, 30, variants=VARIANTS, opponent=policy)
        for first, size in ((0, 1), (2, 3), (6, 1)):
            part = played(15, size, 30 + first, variants=VARIANTS, opponent=policy)
            same(whole, part, slice(first, first + size))


def test_a_pool_draws_its_member_by_the_game():
    def pool():
        on_canvas = NetworkPolicy(by_canvas, observation="planes", canvas=Canvas(6, 8))
        return OpponentPool([First(), on_canvas], weights=[1, 2], seed=8)

    whole = played(20, 7, 30, variants=VARIANTS, opponent=pool())
    for first, size in ((0, 1), (2, 3), (6, 1)):
        part = played(20, size, 30 + first, variants=VARIANTS, opponent=pool())
        same(whole, part, slice(first, first + size))


def test_an_opponent_that_does_not_know_the_variant_changes_nothing():
    class Standard:
        def act(self, position):
            return 1

    env = VectorEnv(30, variants=VARIANTS, opponent=Standard(), seat="dark")
    with pytest.raises(PolicyError, match="chose action 1 in position"):
        env.reset(seed=0)
    plain = NetworkPolicy(by_canvas, observation="planes")
    env = VectorEnv(30, variants=VARIANTS, opponent=plain, seat="light")
    env.reset(seed=0)
    before = env.positions()
    with pytest.raises(ValueError, match=r"position .* is of Variant"):
        env.step(env.sample_actions())
    assert env.positions() == before


def test_a_network_must_be_for_the_variants_that_are_drawn():
    options = {"variants": [Variant(), Variant(copies=1)], "opponent": "champion", "seat": "light"}
    with pytest.raises(PolicyError, match=r"trained on .* cannot play"):
        VectorEnv(4, **options)
    env = VectorEnv(4, variant_weights=[1, 0], **options)
    env.reset(seed=0)
    env.step(env.sample_actions())


def test_the_largest_number_of_variants():
    env = VectorEnv(8, variants=[Variant(), VARIANTS[2]] * 32767 + [VARIANTS[1]])
    _, info = env.reset(seed=0)
    assert info["variant"].tolist() == [Stream(i, 0).below(65535) for i in range(8)]
    env.step(env.sample_actions())


def test_every_option_together():
    for autoreset, opponent in itertools.product(AUTORESET, ("random", First())):
        options = {"autoreset": autoreset, "opponent": opponent, "random_plies": 2}
        options |= {"variants": VARIANTS[:4], "variant_weights": [1, 2, 3, 4], "seat": "light"}
        options |= {"auto_pass": True, "illegal_action": "lose", "reward": "margin"}
        options |= {"dtype": "uint8", "canvas": Canvas(5, 6)}
        env, model = model_and_env(6, 3, **options)
        play(env, model, 25, np.random.default_rng(1))
