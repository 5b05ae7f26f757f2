"""Policies that are asked about positions of mixed variants."""

from __future__ import annotations

import numpy as np
import pytest

from mijnlieff import (
    Board,
    Canvas,
    GameOverError,
    GreedyPolicy,
    NetworkPolicy,
    PolicyError,
    Position,
    RandomPolicy,
    Variant,
    VariantError,
    best_response,
    evaluate,
    load_policy,
)
from mijnlieff.encoding import mask_batch, observe_batch
from mijnlieff.policies import FunctionPolicy, OpponentPool
from mijnlieff.policies.base import act_checked
from mijnlieff.policies.rollouts import RolloutPolicy

VARIANTS = [
    Variant(),
    Variant(Board.from_text("##..\n..##"), copies=1),
    Variant(Board.from_blocks([(0, 0), (2, 1), (4, 0)]), "anywhere"),
]
CANVAS = Canvas(5, 7)


def positions(count=30):
    rng = np.random.default_rng(5)
    found = []
    while len(found) < count:
        position = Position(VARIANTS[len(found) % 3])
        for _ in range(rng.integers(0, 6)):
            position = position.play(int(rng.choice(position.legal_actions())))
        if not position.is_over:
            found.append(position)
    return found


def logits(observations, masks):
    """Numbers that depend on the action and on the observation of the position."""
    base = np.sin(np.arange(masks.shape[1]) * 1.7)
    return base + 0.3 * np.cos(base * observations.reshape(len(masks), -1).sum(1, keepdims=True))


def test_a_network_is_shown_the_canvas_and_plays_actions_of_each_board():
    asked = positions()
    seen = []

    def network(observations, masks):
        seen.append((observations, masks))
        return logits(observations, masks)

    policy = NetworkPolicy(network, observation="planes", batch_size=7, canvas=CANVAS)
    actions = policy.act_batch(asked)
    assert actions.dtype == np.int64
    assert [len(masks) for _, masks in seen] == [7, 7, 7, 7, 2]
    shown = np.concatenate([observations for observations, _ in seen])
    np.testing.assert_array_equal(shown, observe_batch(asked, canvas=CANVAS))
    masks = np.concatenate([masks for _, masks in seen])
    np.testing.assert_array_equal(masks, mask_batch(asked, CANVAS))
    best = np.where(masks == 1, logits(shown, masks), -np.inf).argmax(axis=1)
    for position, action, chosen in zip(asked, actions, best, strict=True):
        assert action in position.legal_actions()
        assert CANVAS.variant_action(position.variant, int(chosen)) == action
        assert policy.act(position) == action


def test_on_the_canvas_of_the_board_itself_nothing_changes():
    asked = [position for position in positions() if position.variant == Variant()]
    for temperature in (0.0, 0.7):
        plain = NetworkPolicy(logits, observation="planes", temperature=temperature, seed=3)
        on_canvas = NetworkPolicy(
            logits, observation="planes", temperature=temperature, seed=3, canvas=Canvas(4, 4)
        )
        assert plain.act_batch(asked).tolist() == on_canvas.act_batch(asked).tolist()
        np.testing.assert_array_equal(
            plain.action_probabilities(asked), on_canvas.action_probabilities(asked)
        )


def test_probabilities_are_on_the_canvas_only_for_several_variants():
    policy = NetworkPolicy(logits, observation="planes", temperature=1.0, canvas=CANVAS)
    asked = positions()
    mixed = policy.action_probabilities(asked)
    assert mixed.shape == (len(asked), CANVAS.num_actions)
    np.testing.assert_allclose(mixed.sum(axis=1), 1)
    assert not mixed[mask_batch(asked, CANVAS) == 0].any()
    for number, position in enumerate(asked):
        own = policy.action_probabilities([position])
        assert own.shape == (1, position.variant.num_actions)
        np.testing.assert_allclose(own[0], mixed[number, CANVAS.actions(position.variant)])


def test_a_function_returns_actions_of_the_canvas():
    asked = positions()
    policy = FunctionPolicy(
        lambda _, masks: masks.argmax(axis=1), observation="planes", canvas=CANVAS
    )
    chosen = policy.act_batch(asked)
    first = [
        CANVAS.variant_action(position.variant, int(position.action_mask(CANVAS).argmax()))
        for position in asked
    ]
    assert chosen.tolist() == first == act_checked(policy, asked).tolist()
    passing = FunctionPolicy(
        lambda _, masks: np.full(len(masks), CANVAS.pass_action), observation="planes"
    )
    passing.canvas = CANVAS
    with pytest.raises(PolicyError, match="chose action 140 in position 0"):
        passing.act_batch(asked)


def test_a_policy_with_a_canvas_plays_matches_and_is_examined():
    policy = NetworkPolicy(logits, observation="planes", canvas=CANVAS)
    for variant in VARIANTS:
        assert evaluate(policy, "random", games=4, variant=variant, seed=1).games == 4
    start = Position(Variant(Board.from_text("###\n##."), copies=1))
    acting = FunctionPolicy(
        lambda _, masks: policy_actions(masks), observation="planes", canvas=CANVAS
    )
    margin = best_response(
        NetworkPolicy(by_action, observation="planes", canvas=CANVAS), start=start
    ).margin
    assert margin == best_response(acting, start=start).margin
    # Every action may be drawn, so the opponent can choose the worst.
    drawing = NetworkPolicy(by_action, observation="planes", temperature=0.5, canvas=CANVAS)
    assert best_response(drawing, start=start).margin <= margin


def by_action(observations, masks):
    return np.sin(np.arange(masks.shape[1]) * 1.7) + np.zeros((len(masks), 1))


def policy_actions(masks):
    return np.where(masks == 1, by_action(None, masks), -np.inf).argmax(axis=1)


def test_other_policies_take_positions_of_mixed_variants():
    asked = positions()
    for make in (RandomPolicy, GreedyPolicy, lambda seed: RolloutPolicy(8, seed)):
        together = make(4)
        alone = make(4)
        assert together.act_batch(asked).tolist() == [alone.act(position) for position in asked]
    pool = OpponentPool(
        [RandomPolicy(1), NetworkPolicy(logits, observation="planes", canvas=CANVAS)], seed=2
    )
    numbers = np.arange(len(asked), dtype=np.uint64)
    for action, position in zip(pool.act_games(asked, numbers), asked, strict=True):
        assert action in position.legal_actions()


def test_actions_are_checked_by_the_variant_of_each_position():
    class Wrong:
        def act(self, position):
            return 64  # of the largest board

    with pytest.raises(PolicyError, match=r"action 64 in position 0, .* are legal"):
        act_checked(load_policy(Wrong()), [Position(VARIANTS[1]), Position()])


def test_wrong_canvases_and_positions_are_refused():
    with pytest.raises(TypeError, match=r"canvas must be a Canvas or None, not \(4, 4\)"):
        NetworkPolicy(logits, observation="planes", canvas=(4, 4))
    for policy in (NetworkPolicy, FunctionPolicy):
        for layout in ("flat", "packed"):
            with pytest.raises(ValueError, match=f'are "planes", not "{layout}"'):
                policy(logits, observation=layout, canvas=CANVAS)
    on_canvas = NetworkPolicy(logits, observation="planes", canvas=Canvas(3, 7))
    with pytest.raises(VariantError, match="position 1: a board of 4 rows and 4 columns does not"):
        on_canvas.act_batch([Position(VARIANTS[1]), Position()])
    for call in (on_canvas.act_batch, on_canvas.action_probabilities):
        over = Position(Variant(Board.from_text("#"), copies=1)).play(0).play("pass")
        assert over.is_over
        with pytest.raises(GameOverError, match="position 1: the game is over"):
            call([Position(VARIANTS[1]), over])
    with pytest.raises(ValueError, match="position 1 is of"):
        NetworkPolicy(logits, observation="planes").act_batch(positions())
    narrow = NetworkPolicy(lambda _, masks: np.zeros((len(masks), 65)), canvas=CANVAS)
    with pytest.raises(PolicyError, match=r"shape \(30, 65\), but 30 positions with 141 actions"):
        narrow.act_batch(positions())


def test_the_canvas_is_shown():
    assert repr(NetworkPolicy(logits, canvas=CANVAS)) == (
        "NetworkPolicy(logits, canvas=Canvas(5, 7))"
    )
    shown = repr(FunctionPolicy(logits, observation="planes", canvas=CANVAS))
    assert shown == "FunctionPolicy(logits, observation='planes', canvas=Canvas(5, 7))"
