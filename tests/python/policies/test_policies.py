"""Policies: what they choose, how chance enters, and what they refuse."""

import copy
import pickle
from functools import partial

import numpy as np
import pytest

import mijnlieff
from interrupts import last_words_when_interrupted, needs_signals
from mijnlieff import (
    Board,
    ChampionPolicy,
    GameOverError,
    GreedyPolicy,
    MinimaxPolicy,
    NetworkPolicy,
    PerfectPolicy,
    Policy,
    PolicyError,
    Position,
    RandomPolicy,
    SearchOptions,
    TreeSearch,
    Variant,
)
from mijnlieff.evaluation import random_openings
from mijnlieff.policies import RolloutPolicy
from mijnlieff.policies.base import act_checked
from mijnlieff.policies.searches import Searches
from network_inputs import network_for
from played import example, finished

pytestmark = pytest.mark.torch

NETWORK = network_for(Variant(), seed=5)
BUILT_IN = [
    RandomPolicy(5),
    GreedyPolicy(5),
    MinimaxPolicy(2, 5),
    MinimaxPolicy(4, seed=5),
    PerfectPolicy(5, 0.5),
]


def minimax_actions(position, depth):
    """The definition, on the Python objects: every action of the largest value."""

    def value(position, depth):
        if depth == 0 or position.is_over:
            return position.margin
        values = [value(position.play(a), depth - 1) for a in position.legal_actions()]
        return max(values) if position.to_play == 0 else min(values)

    sign = 1 if position.to_play == 0 else -1
    actions = position.legal_actions().tolist()
    values = [sign * value(position.play(action), depth - 1) for action in actions]
    return [a for a, v in zip(actions, values, strict=True) if v == max(values)]


@pytest.mark.parametrize("policy", BUILT_IN, ids=repr)
def test_built_in_policies_repeat_themselves(policy):
    # Perfect play has positions after three plies in its book, and searches those after seven.
    positions = random_openings(25, 3, seed=1) + random_openings(25, 7, seed=1)
    assert isinstance(policy, Policy)
    whole = policy.with_seed(9).act_batch(positions)
    assert whole.dtype == np.int64 and whole.shape == (50,)
    again = policy.with_seed(9)
    parts = [again.act(p) for p in positions[:7]] + again.act_batch(positions[7:]).tolist()
    assert parts == whole.tolist()
    assert policy.with_seed(10).act_batch(positions).tolist() != whole.tolist()
    for position, action in zip(positions, parts, strict=True):
        assert position.action_mask()[action] == 1


DISTINCT = [
    *BUILT_IN,
    *(policy.with_seed(6) for policy in BUILT_IN),
    PerfectPolicy(5, 0.25),
    NetworkPolicy(NETWORK),
    NetworkPolicy(NETWORK, seed=1),
    NetworkPolicy(NETWORK, temperature=0.5),
    NetworkPolicy(NETWORK, search=8),
    NetworkPolicy(NETWORK, search=9),
    NetworkPolicy(network_for(Variant(), seed=6)),
    ChampionPolicy(),
    ChampionPolicy(seed=2, temperature=0.5),
    ChampionPolicy(search=4),
]


def test_policies_with_other_settings_differ():
    assert len(set(DISTINCT)) == len(DISTINCT)


@pytest.mark.parametrize("policy", DISTINCT, ids=repr)
def test_policies_are_values(policy):
    if type(policy) is not NetworkPolicy:  # a network is not shown with its weights
        assert eval(repr(policy), vars(mijnlieff)) == policy
    assert policy != "policy"
    policy.act(Position())
    for twin in (copy.copy(policy), copy.deepcopy(policy), pickle.loads(pickle.dumps(policy))):
        assert twin == policy and hash(twin) == hash(policy) and type(twin) is type(policy)
        assert twin.seed == policy.seed
        # The decisions made so far travel along.
        positions, again = [Position()] * 20, copy.deepcopy(policy)
        assert twin.act_batch(positions).tolist() == again.act_batch(positions).tolist()


@pytest.mark.parametrize("depth", [1, 2, 3])
def test_minimax_plays_every_best_action_and_no_other(depth):
    for position in random_openings(3, 10, seed=depth):
        best = minimax_actions(position, depth)
        chosen = set(MinimaxPolicy(depth).act_batch([position] * 60 * len(best)).tolist())
        assert sorted(chosen) == best
        if depth == 1:
            assert set(GreedyPolicy().act_batch([position] * 60 * len(best)).tolist()) == chosen


def test_policies_play_on_any_board_and_on_mixed_lists():
    tower = Variant(Board.from_blocks([(0, 0), (2, 2), (4, 4), (6, 6)]), "anywhere", 1)
    large = Variant(Board.from_text("\n".join(["########"] * 8)), copies=4)
    positions = [Position(), Position(tower), Position(large)]
    for policy in BUILT_IN[:3]:
        for position, action in zip(positions, policy.act_batch(positions), strict=True):
            assert position.play(int(action)).ply == 1


def test_a_forced_pass_is_played():
    position = example(11)
    for policy in BUILT_IN:
        assert policy.act(position) == position.variant.pass_action


ONE_CELL = Position(Variant(Board.from_text("#"), copies=1))


@pytest.mark.parametrize(
    ("make", "over", "message"),
    [
        *((partial(policy.with_seed, 1), finished(), "the game is over") for policy in BUILT_IN),
        (
            partial(NetworkPolicy, NETWORK, temperature=2.0),
            finished(),
            "position 0: the game is over",
        ),
        (partial(RolloutPolicy, 8), finished(ONE_CELL), "position 0: the game is over"),
    ],
)
def test_finished_games_are_refused_and_cost_no_decision(make, over, message):
    policy, twin = make(), make()
    with pytest.raises(GameOverError, match=message):
        policy.act(over)
    with pytest.raises(GameOverError, match="position 1: the game is over"):
        policy.act_batch([Position(), finished()])
    positions = [Position()] * 20
    assert policy.act_batch(positions).tolist() == twin.act_batch(positions).tolist()
    assert policy.act_batch([]).shape == (0,)


@pytest.mark.parametrize("depth", [0, -1, 65, 10**30])
def test_depths_out_of_range(depth):
    with pytest.raises(ValueError, match=f"depth must be 1 to 64 plies, not {depth}"):
        MinimaxPolicy(depth)


@pytest.mark.parametrize("seed", [-1, 2**64])
def test_seeds_out_of_range(seed):
    for make in (RandomPolicy, GreedyPolicy, RandomPolicy().with_seed):
        with pytest.raises(ValueError, match=f"seed must be 0 to .*, not {seed}"):
            make(seed)
    assert RandomPolicy(2**64 - 1).seed == 2**64 - 1


def test_wrong_types():
    for call in (
        lambda: MinimaxPolicy("2"),
        lambda: MinimaxPolicy(1.5),
        lambda: RandomPolicy("0"),
        lambda: RandomPolicy().act(None),
        lambda: RandomPolicy().act_batch([Position(), 0]),
        lambda: RandomPolicy().act_batch(Position()),
        lambda: mijnlieff.policies.BuiltinPolicy(),
    ):
        with pytest.raises(TypeError):
            call()


@needs_signals
@pytest.mark.parametrize("call", ["act(p)", "act_batch([p] * 3)"])
def test_ctrl_c_stops_a_search(call):
    code = (
        "import mijnlieff; p = mijnlieff.Position(); policy = mijnlieff.MinimaxPolicy(40)\n"
        f"print('ready', flush=True)\ntry: policy.{call}\n"
        "except KeyboardInterrupt: print('stopped', policy.act_batch([p.play(0)][:0]).shape)"
    )
    assert last_words_when_interrupted(code, after=0.3) == "stopped (0,)\n"


@needs_signals
@pytest.mark.parametrize(
    "call",
    [
        "mijnlieff.PerfectPolicy().act(p)",
        "mijnlieff.evaluate('perfect', 'random', 8, variant)",
        "e = mijnlieff.VectorEnv(9, variant, opponent='perfect'); e.reset(); e.step([0] * 9)",
    ],
)
def test_ctrl_c_stops_perfect_play(call):
    # 36 cells are more than anybody waits for.
    code = (
        "import mijnlieff; blocks = [(x, y) for x in (0, 2, 4) for y in (0, 2, 4)]\n"
        "variant = mijnlieff.Variant(mijnlieff.Board.from_blocks(blocks))\n"
        "p = mijnlieff.Position(variant); print('ready', flush=True)\n"
        f"try: {call}\n"
        "except KeyboardInterrupt: print('stopped')"
    )
    assert last_words_when_interrupted(code, after=0.6) == "stopped\n"


def count_logits(observations, masks):
    """Logits that prefer high actions."""
    return np.tile(np.arange(masks.shape[1], dtype=np.float32), (len(masks), 1))


@pytest.mark.parametrize("observation", ["flat", "planes", "packed"])
def test_networks_see_observations_and_masks(observation):
    positions = random_openings(5, 2)
    seen = []

    def network(observations, masks):
        seen.append((observations.copy(), masks.copy()))
        return count_logits(observations, masks), np.zeros(len(masks))

    policy = NetworkPolicy(network, observation=observation, batch_size=2)
    actions = policy.act_batch(positions)
    assert actions.dtype == np.int64
    assert actions.tolist() == [p.legal_actions().max() for p in positions]
    assert policy.act(positions[3]) == actions[3]
    assert [len(masks) for _, masks in seen] == [2, 2, 1, 1]
    for i, position in enumerate(positions):
        observations, masks = seen[i // 2]
        assert np.array_equal(observations[i % 2], position.observation(observation))
        assert np.array_equal(masks[i % 2], position.action_mask())
    assert policy.act_batch([]).shape == (0,)


def test_temperature_draws_from_the_softmax():
    position = Position()
    legal = position.legal_actions()
    logits = np.full((1, 65), 50.0)  # illegal actions have the largest logits
    logits[0, legal] = -8.0
    logits[0, legal[:3]] = np.log([1, 2, 5])
    policy = NetworkPolicy(lambda o, m: np.repeat(logits, len(m), axis=0), temperature=1, seed=3)
    actions = policy.act_batch([position] * 8000)
    counts = [int((actions == action).sum()) for action in legal[:3]]
    assert np.abs(np.array(counts) - [1000, 2000, 5000]).max() < 200
    twin = NetworkPolicy(policy.model.evaluate, temperature=1, seed=3, batch_size=7)
    assert twin.act_batch([position] * 100).tolist() == actions[:100].tolist()
    cold = NetworkPolicy(policy.model.evaluate, temperature=0.01)
    assert set(cold.act_batch([position] * 50).tolist()) == {legal[2]}


@pytest.mark.parametrize("temperature", [5e-324, 1e-306])
def test_the_least_temperatures_play_the_largest_logit(temperature):
    logits = np.linspace(-3.0, 7.0, 65, dtype=np.float32)
    logits[20:] = -np.inf
    policy = NetworkPolicy(lambda o, m: np.tile(logits, (len(m), 1)), temperature=temperature)
    legal = [action for action in Position().legal_actions().tolist() if action < 20]
    assert policy.act_batch([Position()] * 5).tolist() == [legal[-1]] * 5
    (shares,) = policy.action_probabilities([Position()])
    assert np.flatnonzero(shares).tolist() == [legal[-1]] and shares.sum() == 1.0


def fails_at(call, do):
    """Return a function that does something, but raises at one of its calls."""
    calls = iter(range(100))

    def fails(*arguments):
        if next(calls) == call:
            raise KeyboardInterrupt
        return do(*arguments)

    return fails


def test_a_call_that_fails_draws_nothing():
    settings = {"temperature": 1.0, "batch_size": 2, "seed": 5}
    policy = NetworkPolicy(fails_at(3, lambda o, m: np.zeros(m.shape)), **settings)
    twin = NetworkPolicy(lambda o, m: np.zeros(m.shape), **settings)
    positions = [Position()] * 12
    with pytest.raises(KeyboardInterrupt):
        policy.act_batch(positions)
    assert policy.act_batch(positions).tolist() == twin.act_batch(positions).tolist()


def test_searches_that_fail_count_no_decision(monkeypatch):
    # So few edges that each position is searched by itself.
    monkeypatch.setattr("mijnlieff.policies.searches._EDGES_AT_ONCE", 1)
    searches, twin = (Searches(SearchOptions(20, "puct"), seed=3) for _ in range(2))
    positions = random_openings(12, 4)
    run = TreeSearch.run_with_rollouts
    with pytest.raises(KeyboardInterrupt):
        searches.choose(positions, None, fails_at(3, run))
    chosen = [one.choose(positions, None, run).tolist() for one in (searches, twin)]
    assert chosen[0] == chosen[1]


def spoil(value, where=slice(None)):
    def network(observations, masks):
        logits = count_logits(observations, masks)
        logits[1, where] = value
        return logits

    return network


BAD_NETWORKS = [
    (spoil(np.nan, 7), r"position 1: the logit of action 7 is nan"),
    (spoil(np.inf, 7), r"position 1: the logit of action 7 is inf"),
    (spoil(-np.inf), r"position 1: the logit of every legal action is -inf"),
    (lambda o, m: np.zeros((len(m), 64)), r"shape \(2, 64\).* 2 positions with 65 actions"),
    (lambda o, m: np.zeros(65), r"shape \(65,\)"),
    (lambda o, m: m.astype(bool), r"dtype bool"),
    (lambda o, m: m.astype(complex), r"dtype complex128"),
    (lambda o, m: None, r"dtype object"),
    (lambda o, m: [[1.0], [1.0, 2.0]], r"not return an array of numbers"),
    (lambda o, m: (m, m, m), r"returned a tuple of 3"),
]


def test_a_function_is_shown_by_its_name_and_not_asked_about_finished_games():
    policy = NetworkPolicy(count_logits)
    assert "count_logits" in repr(policy)
    with pytest.raises(GameOverError, match="position 1: the game is over"):
        policy.act_batch([Position(), finished()])


@pytest.mark.parametrize(("network", "message"), BAD_NETWORKS, ids=lambda case: str(case)[:40])
def test_bad_networks(network, message):
    with pytest.raises(PolicyError, match=message):
        NetworkPolicy(network).act_batch([Position(), Position()])


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_logits_of_illegal_actions_do_not_matter(value):
    def network(observations, masks):
        return np.where(masks == 1, count_logits(observations, masks), value)

    positions = [Position(), Position.from_record("1. a1+, d1+")]
    chosen = NetworkPolicy(network).act_batch(positions)
    assert (chosen == NetworkPolicy(count_logits).act_batch(positions)).all()


def test_logits_may_be_bfloat16():
    torch = pytest.importorskip("torch")

    def network(observations, masks):
        return torch.from_numpy(count_logits(observations, masks)).to(torch.bfloat16)

    assert NetworkPolicy(network).act(Position()) in range(64)


class Scripted:
    """A policy that answers with what it is given."""

    def __init__(self, answer):
        self.answer = answer

    def act_batch(self, positions):
        return self.answer


def test_choices_are_checked():
    positions = [Position(), Position()]
    assert act_checked(Scripted([0, 1]), positions).tolist() == [0, 1]
    for answer, message in (
        ([0, 5], r"chose action 5 in position 1, .* where only \[0, 1, .* are legal: a1\+ b1\+ .*"),
        ([-1, 0], r"chose action -1 in position 0"),
        ([0, 65], r"chose action 65 in position 1"),
        ([0], r"shape \(1,\) for 2 positions"),
        ([0.0, 1.0], r"dtype float64"),
        (None, r"dtype object"),
    ):
        with pytest.raises(PolicyError, match=message):
            act_checked(Scripted(answer), positions)


def test_a_policy_that_reorders_its_positions_is_found_out():
    class Reversing:
        def act_batch(self, positions):
            positions.reverse()
            return [position.legal_actions()[0] for position in positions]

        def act_games(self, positions, games):
            games[:] = 0
            return self.act_batch(positions)

        def act(self, position):
            return self.act_batch([position])[0]

    positions, games = [Position(), example(11)], np.array([4, 7], dtype=np.uint64)
    for numbers in (None, games):
        with pytest.raises(PolicyError, match="chose action 64 in position 0"):
            act_checked(Reversing(), positions, numbers)
    assert positions == [Position(), example(11)] and games.tolist() == [4, 7]
