"""Policies made from functions, and policies that have only one of the two methods."""

import copy
import inspect
import pickle

import numpy as np
import pytest

import mijnlieff
from mijnlieff import (
    GreedyPolicy,
    MinimaxPolicy,
    Policy,
    Position,
    VectorEnv,
    best_response,
    errors,
    evaluate,
    grade,
    load_policy,
    tournament,
)
from mijnlieff.evaluation import random_openings
from mijnlieff.policies import FunctionPolicy, GamePolicy
from played import finished
from players import first_legal


def test_a_function_gets_batches_and_gives_actions():
    sizes = []

    def fn(observations, masks):
        sizes.append(len(masks))
        assert observations.shape == (len(masks), 12, 4, 4) and masks.dtype == np.int8
        return first_legal(observations, masks).astype(np.int32)

    positions = random_openings(25, plies=5)
    policy = FunctionPolicy(fn, observation="planes", batch_size=10)
    expected = [int(position.legal_actions()[0]) for position in positions]
    actions = policy.act_batch(positions)
    assert actions.dtype == np.int64 and actions.tolist() == expected
    assert sizes == [10, 10, 5]
    assert policy.act(positions[3]) == expected[3]
    assert policy.act_batch([]).shape == (0,)
    assert isinstance(policy, Policy) and "fn" in repr(policy)


@pytest.mark.parametrize(
    ("answer", "text"),
    [
        (lambda masks: masks, "returned an array of dtype int8 and shape"),
        (lambda masks: np.zeros(len(masks)), "dtype float64"),
        (lambda masks: [True] * len(masks), "dtype bool"),
        (lambda masks: (masks.argmax(axis=1), 0), r"did not return an array .* shape \(5,\)"),
        (lambda masks: np.full(len(masks), 65), "chose action 65 in position 0"),
        (lambda masks: np.full(len(masks), -1), "chose action -1 in position 0"),
        (lambda masks: np.where(np.arange(len(masks)) == 3, 64, masks.argmax(1)), "in position 3"),
    ],
)
def test_wrong_answers_are_named(answer, text):
    policy = FunctionPolicy(lambda observations, masks: answer(masks))
    with pytest.raises(errors.PolicyError, match=text):
        policy.act_batch([Position()] * 5)


def test_positions_in_messages_are_counted_over_all_batches():
    policy = FunctionPolicy(lambda observations, masks: masks.argmin(axis=1), batch_size=2)
    start = Position(mijnlieff.Variant(opening="anywhere"))
    good = FunctionPolicy(first_legal, batch_size=2)
    assert good.act_batch([start] * 5).tolist() == [0] * 5
    with pytest.raises(errors.PolicyError, match="in position 0"):
        policy.act_batch([start] * 5)
    calls = iter([0, 0, 64])
    late = FunctionPolicy(lambda seen, masks: np.full(len(masks), next(calls)), batch_size=2)
    with pytest.raises(errors.PolicyError, match="in position 4"):
        late.act_batch([start] * 5)


def test_wrong_settings_and_games_that_are_over():
    for arguments, error, text in [
        ({"fn": 3}, TypeError, "fn must be a function"),
        ({"observation": "pixels"}, ValueError, "pixels"),
        ({"dtype": "int32"}, TypeError, "int32"),
        ({"batch_size": 0}, ValueError, "batch_size must be at least 1, not 0"),
        ({"batch_size": 1.5}, TypeError, "batch_size"),
    ]:
        with pytest.raises(error, match=text):
            FunctionPolicy(**{"fn": first_legal} | arguments)
    with pytest.raises(errors.GameOverError, match="position 1"):
        FunctionPolicy(first_legal).act_batch([Position(), finished()])


class OnlyAct:
    def act(self, position):
        return GreedyPolicy(3).act(position)


class OnlyBatch:
    def act_batch(self, positions):
        return np.array([position.legal_actions()[-1] for position in positions])


class DerivedAct(OnlyAct, Policy):
    """A method inherited from `Policy` without a body is not one that the class has."""


class DerivedBatch(OnlyBatch, Policy):
    """The same for batches."""


@pytest.mark.parametrize("partial", [OnlyAct, OnlyBatch, DerivedAct, DerivedBatch])
def test_one_method_is_enough_everywhere(partial):
    whole = load_policy(partial())
    assert isinstance(whole, Policy)
    positions = random_openings(6, plies=4)
    assert list(whole.act_batch(positions)) == [whole.act(position) for position in positions]
    assert repr(whole) == repr(whole.inner)
    assert evaluate(partial(), "random", games=20, seed=1).games == 20
    assert grade(partial(), positions=40, seed=1).total.positions > 0
    assert "other" in str(tournament({"one": partial(), "other": "random"}, games=10))
    env = VectorEnv(6, opponent=partial())
    env.reset(seed=0)
    again = pickle.loads(pickle.dumps(env))
    for _ in range(20):
        actions = env.sample_actions()
        assert np.array_equal(env.step(actions)[0], again.step(actions)[0])


class Further:
    """What a policy may have beside one of the two methods; it counts the games that it is told."""

    is_deterministic = False
    exact_endings = (4, 1)
    games = 0

    def act_games(self, positions, games):
        self.games += len(games)
        return np.array([position.legal_actions()[0] for position in positions])

    def action_probabilities(self, positions):
        masks = np.array([position.action_mask() for position in positions])
        return masks / masks.sum(axis=1, keepdims=True)


class FurtherAct(Further, OnlyAct):
    pass


class FurtherBatch(Further, OnlyBatch):
    pass


@pytest.mark.parametrize("partial", [FurtherAct, FurtherBatch])
def test_a_policy_with_one_method_keeps_what_else_it_has(partial):
    inner = partial()
    whole = load_policy(inner)
    VectorEnv(4, opponent=whole, seat="dark").reset(seed=0)
    assert inner.games == 4
    start = Position(mijnlieff.Variant(mijnlieff.Board.from_text("##/##"), "anywhere", 1))
    assert best_response(inner, start=start).margin == best_response("random", start=start).margin
    pickled = pickle.loads(pickle.dumps(whole))
    for twin in (whole, copy.copy(whole), copy.deepcopy(whole), pickled):
        # Later versions of Python look for the methods of a protocol without __getattr__.
        assert isinstance(twin, GamePolicy) and inspect.getattr_static(twin, "act_games")
        assert twin.act_games.__self__ is twin.inner
        assert twin.exact_endings == (4, 1) and twin.is_deterministic is False
    bare = load_policy(OnlyBatch())
    assert not hasattr(bare, "exact_endings") and not isinstance(bare, GamePolicy)


class DerivedGames(OnlyBatch, GamePolicy):
    """The method of `GamePolicy` without a body does not count either."""


def test_a_method_without_a_body_is_not_kept():
    whole = load_policy(DerivedGames())
    assert not isinstance(whole, GamePolicy)
    VectorEnv(4, opponent=whole, seat="dark").reset(seed=0)


def test_a_policy_with_one_method_that_errs_is_named():
    class Wrong:
        def act_batch(self, positions):
            return [True, *[1] * (len(positions) - 1)]

    with pytest.raises(errors.PolicyError, match=r"Wrong.*integers"):
        evaluate(Wrong(), "random", games=4)
    for policy in (OnlyAct, object(), 3):
        with pytest.raises(TypeError, match="act or act_batch"):
            load_policy(policy)
    assert load_policy(whole := MinimaxPolicy(1)) is whole
