"""What a `NetworkPolicy` plays by: native networks, functions, and models of a caller's own."""

import pickle
from functools import partial

import numpy as np
import pytest

import mijnlieff
from mijnlieff import (
    Board,
    Canvas,
    ChampionPolicy,
    NetworkPolicy,
    PolicyError,
    Position,
    SearchOptions,
    Variant,
    best_response,
    solve,
)
from mijnlieff.evaluation import random_openings
from mijnlieff.policies import FunctionModel, Model, RolloutPolicy
from network_inputs import canvas_network, network_for
from played import playable

NETWORK = network_for(Variant(), seed=5)
SMALL = Variant(Board.from_text("###\n##."), copies=1)


def no_values(observations, masks):
    return np.zeros(masks.shape)


class Picky:
    """A model that plays one variant, and gives both values."""

    observation = "planes"
    dtype = "float32"
    canvas = None

    def __init__(self):
        self.shapes = []

    def check_variant(self, variant):
        if variant.board != Board.standard():
            raise PolicyError("only the standard board")

    def evaluate(self, observations, masks):
        self.shapes.append(observations.shape[1:])
        logits = np.zeros(masks.shape, np.float32)
        return logits, np.zeros((len(masks), 2), np.float32)


class Layers(Picky):
    """A model that is shown in several lines, as those of PyTorch are."""

    def __repr__(self):
        return "Layers(\n  (0): Linear()\n)"


def test_reports_have_names_of_one_line_without_the_defaults():
    assert repr(NetworkPolicy(Layers())) == "NetworkPolicy(Layers)"
    assert repr(NetworkPolicy(no_values, temperature=0.5)) == (
        "NetworkPolicy(no_values, temperature=0.5)"
    )
    assert repr(NetworkPolicy(no_values, seed=3, observation="planes")) == (
        "NetworkPolicy(no_values, observation='planes', seed=3)"
    )


def test_networks_and_objects_with_the_methods_are_models():
    assert isinstance(NETWORK, Model) and isinstance(Picky(), Model)
    assert isinstance(FunctionModel(no_values), Model)
    assert not isinstance(no_values, Model)
    assert (NETWORK.observation, NETWORK.dtype, NETWORK.canvas) == ("flat", "float32", None)
    assert NetworkPolicy(NETWORK).model is NETWORK


@pytest.mark.parametrize("search", [None, 8])
def test_a_model_is_shown_what_it_asks_for_and_checked_once(search):
    model = Picky()
    policy = NetworkPolicy(model, search=search)
    positions = random_openings(5, 3)
    for position, action in zip(positions, policy.act_batch(positions).tolist(), strict=True):
        assert position.action_mask()[action] == 1
    assert set(model.shapes) == {(12, 4, 4)}
    with pytest.raises(PolicyError, match="only the standard board"):
        policy.act(Position(SMALL))
    with pytest.raises(ValueError, match="knows what it is shown: leave out observation"):
        NetworkPolicy(model, observation="flat")


def test_a_native_network_and_the_same_function_play_alike():
    positions = playable(Variant(), 20)
    for temperature in (0.0, 0.7):
        np.testing.assert_array_equal(
            NetworkPolicy(NETWORK, temperature=temperature).action_probabilities(positions),
            NetworkPolicy(NETWORK.evaluate, temperature=temperature).action_probabilities(
                positions
            ),
        )
    searching = [NetworkPolicy(one, search=16) for one in (NETWORK, NETWORK.evaluate)]
    chosen = [policy.act_batch(positions[:40]).tolist() for policy in searching]
    assert chosen[0] == chosen[1]


def test_the_margin_counts_as_the_search_says():
    positions = random_openings(30, 4)

    def evaluate(observations, masks):
        logits, values = NETWORK.evaluate(observations, masks)
        return logits, values[:, 0]

    options = SearchOptions(32, margin_weight=0.0)
    outcomes = NetworkPolicy(evaluate, search=options).act_batch(positions)
    both = NetworkPolicy(NETWORK, search=options).act_batch(positions)
    assert outcomes.tolist() == both.tolist()
    margins = NetworkPolicy(NETWORK, search=options.replace(margin_weight=1.0))
    assert margins.act_batch(positions).tolist() != both.tolist()


def test_a_number_of_simulations_is_the_default_search():
    policy = NetworkPolicy(NETWORK, search=32)
    assert policy.search == SearchOptions(32, temperature=0.0)
    assert policy == NetworkPolicy(NETWORK, search=SearchOptions(32))
    # Noise is for training.
    noisy = SearchOptions(32, "puct", temperature=1.0, dirichlet_share=0.25)
    assert NetworkPolicy(NETWORK, search=noisy).search == SearchOptions(32, "puct", temperature=0.0)
    assert policy.exact_endings is None
    solving = SearchOptions(32, solve_roots_below=5, solve_leaves_below=4)
    assert NetworkPolicy(NETWORK, search=solving).exact_endings == (5, 8)


def test_a_search_draws_the_best_actions_of_positions_that_it_solves():
    options = SearchOptions(2, solve_roots_below=9)
    policy, twin = (NetworkPolicy(NETWORK, search=options, seed=3) for _ in range(2))
    assert not policy.is_deterministic and NetworkPolicy(NETWORK, search=2).is_deterministic
    late, early = random_openings(20, 9), random_openings(4, 3)
    shares = policy.action_probabilities(late + early)
    assert shares.dtype == np.float64
    for position, row in zip(late, shares, strict=False):
        best = solve(position).best_actions
        assert np.flatnonzero(row).tolist() == sorted(best)
        assert set(row) == {0, 1 / len(best)}
    assert max(np.count_nonzero(shares[:20], axis=1)) > 1
    assert shares[20:].argmax(axis=1).tolist() == policy.act_batch(early).tolist()
    assert np.count_nonzero(shares[20:]) == 4
    # Being asked for probabilities counts no decision.
    twin.act_batch(early)
    assert policy.act_batch(late * 4).tolist() == twin.act_batch(late * 4).tolist()


def test_searches_take_positions_of_many_variants_on_a_canvas():
    canvas, variants = Canvas(4, 5), [Variant(), SMALL, Variant(copies=1)]
    positions = [Position(variants[i % 3]) for i in range(9)]

    def evaluate(observations, masks):
        assert observations.shape[1:] == canvas.observation_shape
        return np.tile(np.arange(masks.shape[1]) / 10, (len(masks), 1)), np.zeros(len(masks))

    policy = NetworkPolicy(evaluate, canvas=canvas, search=4)
    for position, action in zip(positions, policy.act_batch(positions).tolist(), strict=True):
        assert position.action_mask()[action] == 1
    shares = policy.action_probabilities(positions)
    assert shares.shape == (9, canvas.num_actions)
    own = policy.action_probabilities(positions[1:2])
    assert own.shape == (1, SMALL.num_actions) and own.sum() == 1


@pytest.mark.parametrize("search", [None, 4])
def test_a_native_network_for_a_canvas_plays_positions_of_many_variants(search):
    network = canvas_network(Canvas(4, 5), copies=2)
    positions = [
        Position(Variant()),
        Position(Variant(Board.from_text("#####\n#####"), "anywhere")),
    ]
    policy = NetworkPolicy(network, search=search)
    together = policy.act_batch(positions * 3).tolist()
    alone = NetworkPolicy(network, search=search)
    assert together == [alone.act(position) for position in positions * 3]
    function = NetworkPolicy(network.evaluate, canvas=network.canvas, search=search)
    assert function.act_batch(positions * 3).tolist() == together
    with pytest.raises(PolicyError, match="cannot play"):
        policy.act(Position(SMALL))


@pytest.mark.parametrize("make", [partial(NetworkPolicy, NETWORK), ChampionPolicy])
@pytest.mark.parametrize(
    ("settings", "error", "message"),
    [
        ({"temperature": -1.0}, ValueError, "a finite number of at least 0, not -1.0"),
        ({"temperature": np.nan}, ValueError, "a finite number of at least 0, not nan"),
        ({"temperature": np.inf}, ValueError, "a finite number of at least 0, not inf"),
        ({"temperature": -np.inf}, ValueError, "a finite number of at least 0, not -inf"),
        ({"temperature": -5e-324}, ValueError, "a finite number of at least 0, not -5e-324"),
        ({"temperature": "0.5"}, TypeError, "temperature must be a number, not '0.5'"),
        ({"temperature": True}, TypeError, "temperature must be a number, not True"),
        ({"temperature": None}, TypeError, "temperature must be a number, not None"),
        ({"seed": -1}, ValueError, "not -1"),
        ({"seed": 2**64}, ValueError, "not 18446744073709551616"),
        ({"search": -1}, ValueError, "num_simulations must be .* not -1"),
        ({"search": 0}, ValueError, "num_simulations"),
        ({"search": 1.5}, TypeError, "num_simulations must be an integer"),
        ({"temperature": 0.5, "search": 4}, ValueError, r"temperature must be 0, not 0\.5"),
    ],
    ids=str,
)
def test_bad_settings(make, settings, error, message):
    with pytest.raises(error, match=message):
        make(**settings)


@pytest.mark.parametrize(
    ("model", "settings", "error", "message"),
    [
        ("x.bin", {}, TypeError, r"model must be a network or a function, not 'x\.bin'"),
        (no_values, {"dtype": "uint8", "search": 4}, ValueError, "a search shows float32"),
        (no_values, {"observation": "pixels"}, ValueError, 'unknown observation layout "pixels"'),
        (no_values, {"batch_size": 0}, ValueError, "batch_size .* not 0"),
        (NETWORK, {"num_threads": 0}, ValueError, "num_threads must be .* not 0"),
        (NETWORK, {"num_threads": "four"}, TypeError, "num_threads must be an integer"),
        (
            no_values,
            {"canvas": (4, 4)},
            TypeError,
            r"canvas must be a Canvas or None, not \(4, 4\)",
        ),
    ],
)
def test_what_is_wrong_with_a_model_is_named(model, settings, error, message):
    with pytest.raises(error, match=message):
        NetworkPolicy(model, **settings)


def test_a_search_needs_values():
    with pytest.raises(PolicyError, match="must return logits and values"):
        NetworkPolicy(no_values, search=4).act(Position())


class TestRollouts:
    def test_they_draw_from_the_seed_however_calls_are_cut(self):
        positions = random_openings(30, 4)
        whole = RolloutPolicy(20, seed=3).act_batch(positions).tolist()
        parts = RolloutPolicy(20, seed=3)
        assert [parts.act(one) for one in positions[:7]] == whole[:7]
        assert parts.act_batch(positions[7:]).tolist() == whole[7:]
        assert RolloutPolicy(20, seed=4).act_batch(positions).tolist() != whole
        twin = pickle.loads(pickle.dumps(parts))
        assert twin.act_batch(positions).tolist() == parts.act_batch(positions).tolist()
        assert parts.act_batch([]).shape == (0,)

    def test_settings(self):
        policy = RolloutPolicy(20)
        assert policy.search == SearchOptions(20, "puct", temperature=0.0)
        assert eval(repr(policy), vars(mijnlieff) | {"RolloutPolicy": RolloutPolicy})
        assert not policy.is_deterministic and policy.exact_endings is None
        solving = SearchOptions(20, "puct", solve_roots_below=6, solve_leaves_below=6)
        assert RolloutPolicy(solving).exact_endings == (6, 8)
        with pytest.raises(ValueError, match="num_simulations"):
            RolloutPolicy(0)
        with pytest.raises(PolicyError, match="draws its moves at random"):
            best_response(policy, start=Position(SMALL))


@pytest.mark.parametrize("num_threads", [1, None])
def test_the_threads_of_a_search_are_those_of_its_native_network_too(monkeypatch, num_threads):
    given = []

    class Native(Picky):
        def evaluate(self, observations, masks, *, num_threads):
            given.append(num_threads)
            return super().evaluate(observations, masks)

    monkeypatch.setattr("mijnlieff.policies.network.Network", Native)
    NetworkPolicy(Native(), search=4, num_threads=num_threads).act(Position())
    assert set(given) == {num_threads}


def test_policies_by_one_function_are_equal():
    one, same = NetworkPolicy(no_values, seed=3), NetworkPolicy(no_values, seed=3)
    assert one == same and hash(one) == hash(same)
    others = [
        NetworkPolicy(no_values, seed=4),
        NetworkPolicy(no_values, seed=3, observation="planes"),
        NetworkPolicy(lambda observations, masks: masks, seed=3),
        NetworkPolicy(NETWORK, seed=3),
    ]
    assert all(one != other for other in others)


def test_equality_of_policies_does_not_ask_their_functions():
    """Functions may be objects that are equal to anything, or have no hash."""

    class Odd:
        def __call__(self, observations, masks):
            return masks

        def __eq__(self, other):
            return np.array([True, False])

        def same(self, observations, masks):
            return masks

    odd = Odd()
    assert NetworkPolicy(odd) == NetworkPolicy(odd) != NetworkPolicy(Odd())
    assert NetworkPolicy(odd.same) == NetworkPolicy(odd.same) != NetworkPolicy(Odd().same)
    assert len({NetworkPolicy(odd), NetworkPolicy(odd), NetworkPolicy(odd.same)}) == 2
