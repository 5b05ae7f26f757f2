"""What a `NetworkPolicy` plays by: native networks, functions, and models of a caller's own."""

import copy
import pickle

import numpy as np
import pytest

import mijnlieff
from mijnlieff import (
    Board,
    Canvas,
    CheckpointError,
    GameOverError,
    Network,
    NetworkPolicy,
    PolicyError,
    Position,
    SearchOptions,
    Variant,
    best_response,
)
from mijnlieff.encoding import mask_batch, observe_batch
from mijnlieff.evaluation import random_openings
from mijnlieff.policies import FunctionModel, Model, RolloutPolicy
from network_inputs import canvas_network, network_for, playable

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
    native, function = NetworkPolicy(NETWORK), NetworkPolicy(NETWORK.evaluate)
    assert native.act_batch(positions).tolist() == function.act_batch(positions).tolist()
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


def test_policies_are_equal_by_network_and_settings():
    policies = [
        NetworkPolicy(NETWORK),
        NetworkPolicy(NETWORK, seed=1),
        NetworkPolicy(NETWORK, temperature=0.5),
        NetworkPolicy(NETWORK, search=8),
        NetworkPolicy(NETWORK, search=9),
        NetworkPolicy(network_for(Variant(), seed=6)),
    ]
    assert len(set(policies)) == len(policies)
    for policy in policies:
        policy.act(Position())
        for twin in (copy.deepcopy(policy), pickle.loads(pickle.dumps(policy))):
            assert twin == policy and hash(twin) == hash(policy)
            positions = [Position()] * 10
            again = copy.deepcopy(policy)
            assert twin.act_batch(positions).tolist() == again.act_batch(positions).tolist()
    assert NetworkPolicy(NETWORK) != "policy"


def test_what_is_wrong_with_a_model_is_named():
    with pytest.raises(TypeError, match=r"model must be a network or a function, not 'x\.bin'"):
        NetworkPolicy("x.bin")
    with pytest.raises(PolicyError, match="must return logits and values"):
        NetworkPolicy(no_values, search=4).act(Position())
    with pytest.raises(ValueError, match=r"temperature must be 0, not 0\.5"):
        NetworkPolicy(NETWORK, temperature=0.5, search=4)
    with pytest.raises(ValueError, match="num_simulations"):
        NetworkPolicy(NETWORK, search=0)
    with pytest.raises(TypeError, match="num_simulations must be an integer"):
        NetworkPolicy(NETWORK, search=1.5)
    with pytest.raises(ValueError, match="a search shows float32"):
        NetworkPolicy(no_values, dtype="uint8", search=4)
    with pytest.raises(TypeError, match=r"canvas must be a Canvas or None, not \(4, 4\)"):
        NetworkPolicy(no_values, canvas=(4, 4))


class TestNetwork:
    def test_masks_rule_actions_out(self):
        positions = playable(Variant(), 5)
        observations, masks = observe_batch(positions, "flat"), mask_batch(positions)
        plain, values = NETWORK.evaluate(observations)
        for form in (masks, masks.astype(bool), np.asfortranarray(masks)):
            logits, same = NETWORK.evaluate(observations, form)
            np.testing.assert_array_equal(logits, np.where(masks, plain, -np.inf))
            np.testing.assert_array_equal(values, same)
        with pytest.raises(
            ValueError, match=r"the masks .* have the shape \(.*, 65\), not \(1, 65\)"
        ):
            NETWORK.evaluate(observations, masks[:1])
        for wrong in (masks.astype(float), masks[0], "all"):
            with pytest.raises(TypeError):
                NETWORK.evaluate(observations, wrong)

    def test_it_is_saved_whole_and_loaded(self, tmp_path):
        path = tmp_path / "network.bin"
        path.write_bytes(b"older")
        NETWORK.save(path)
        assert path.read_bytes() == NETWORK.to_bytes()
        assert Network.load(path) == Network.load(str(path)) == NETWORK
        assert [one.name for one in tmp_path.iterdir()] == ["network.bin"]

    def test_files_that_cannot_be_written_or_read(self, tmp_path):
        missing = tmp_path / "none" / "network.bin"
        with pytest.raises(OSError, match=r"cannot write .*network.bin: No such file"):
            NETWORK.save(missing)
        with pytest.raises(CheckpointError, match=r"the network file .*network.bin does not exist"):
            Network.load(missing)
        with pytest.raises(
            CheckpointError, match=r"cannot read the network file .*: Is a directory"
        ):
            Network.load(tmp_path)
        (tmp_path / "folder").mkdir()
        with pytest.raises(OSError, match="cannot write"):
            NETWORK.save(tmp_path / "folder")
        assert [one.name for one in tmp_path.iterdir()] == ["folder"]

    def test_only_networks_of_the_package_are_converted(self):
        with pytest.raises(TypeError, match=r"a network of mijnlieff\.train, not 'x'"):
            Network.from_torch("x")


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

    def test_finished_games_are_refused_and_cost_no_decision(self):
        over = Position(Variant(Board.from_text("#"), copies=1)).play(0).play("pass")
        policy, twin = RolloutPolicy(8), RolloutPolicy(8)
        with pytest.raises(GameOverError, match="position 0: the game is over"):
            policy.act(over)
        positions = [Position()] * 10
        assert policy.act_batch(positions).tolist() == twin.act_batch(positions).tolist()
