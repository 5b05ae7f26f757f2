"""Native networks with a token for each cell: outputs, files, and play by them."""

import copy
import pickle

import numpy as np
import pytest

from mijnlieff import (
    Board,
    Canvas,
    CheckpointError,
    Network,
    NetworkPolicy,
    PolicyError,
    Position,
    SelfPlay,
    Variant,
    VariantError,
)
from mijnlieff.encoding import observe_batch
from network_inputs import VARIANTS, canvas_network, damaged, games, outputs_with_integers, playable
from network_reference import reference_of

GAPS = Variant(Board.from_text(".##.#\n.###.\n##..#\n#####"), "anywhere", 3)
LARGE = Variant(Board.from_text("########\n" * 8), "anywhere", 8)
SIZES = [(16, 2, 4), (5, 1, 5), (20, 2, 1), (1, 0, 1), (12, 3, 12)]
"""Units, blocks and heads, also such as fill no vector."""


def weight_count(variant, units, blocks, heads):
    board = variant.board
    offsets = 2 * (2 * board.height - 1) * (2 * board.width - 1)
    block = offsets * heads + units * (6 * units + 9)
    return 25 * units + blocks * block + units * (units + 3) + 7 * (units + 1)


def weights_for(variant, units=16, blocks=2, heads=4, seed=0, scale=None):
    count = weight_count(variant, units, blocks, heads)
    scale = 0.8 / units**0.5 if scale is None else scale
    return np.random.default_rng(seed).normal(0, scale, count).astype(np.float32)


def network_for(variant, units=16, blocks=2, heads=4, seed=0, scale=None):
    """A network of random weights, whose outputs are far from 0."""
    weights = weights_for(variant, units, blocks, heads, seed, scale)
    return Network.of_cells(variant, units, blocks, heads, weights)


class TestNetwork:
    @pytest.mark.parametrize(
        "variant", [*VARIANTS.values(), GAPS, LARGE], ids=[*VARIANTS, "gaps", "large"]
    )
    def test_it_is_what_the_documentation_says(self, variant):
        for sizes in SIZES:
            network = network_for(variant, *sizes)
            reference = reference_of(network.to_bytes())
            assert reference.variant == network.variant == variant
            assert sum(array.size for array in reference.arrays) == network.num_weights
            positions = games(variant, 1)[-40:]
            logits, values = network.evaluate(observe_batch(positions, "flat"))
            assert logits.dtype == values.dtype == np.float32
            assert logits.shape == (len(positions), variant.num_actions)
            expected = [reference.evaluate(position) for position in positions]
            np.testing.assert_allclose(logits, [logit for logit, _ in expected], rtol=0, atol=1e-4)
            np.testing.assert_allclose(values, [value for _, value in expected], rtol=0, atol=1e-4)
            assert np.abs(logits).mean() > 0.05

    @pytest.mark.parametrize("variant", [Variant(), GAPS, LARGE], ids=["standard", "gaps", "large"])
    def test_integers_are_close_to_floats(self, variant):
        network = network_for(variant, 48, 3, 8)
        outputs = outputs_with_integers(network, observe_batch(games(variant, 10), "flat"))
        assert not np.array_equal(*(logits for logits, _ in outputs))

    @pytest.mark.parametrize("precision", ["float32", "int16"])
    def test_outputs_do_not_depend_on_the_batch(self, precision):
        network = network_for(Variant())
        observations = observe_batch(playable(Variant(), 6), "flat")
        whole = network.evaluate(observations, precision=precision)
        for cut in (1, 3, 33):
            parts = [observations[i : i + cut] for i in range(0, len(observations), cut)]
            found = zip(
                *(network.evaluate(part, precision=precision) for part in parts), strict=True
            )
            for outputs, expected in zip(found, whole, strict=True):
                assert np.array_equal(np.concatenate(outputs), expected)
        assert network.evaluate(observations[:0], precision=precision)[0].shape == (0, 65)

    @pytest.mark.parametrize("precision", ["float32", "int16"])
    def test_numbers_that_overflow_are_nan(self, precision):
        network = network_for(Variant(), scale=1e37)
        logits, values = network.evaluate(observe_batch([Position()], "flat"), precision=precision)
        assert np.isnan(logits).all() and np.isnan(values).all()

    def test_it_is_a_value(self):
        network = network_for(Variant())
        other = network_for(Variant(), seed=1)
        assert (network.form, network.width, network.blocks, network.heads) == ("cells", 16, 2, 4)
        for twin in (
            Network(network.to_bytes()),
            pickle.loads(pickle.dumps(network)),
            copy.deepcopy(network),
        ):
            assert twin == network and hash(twin) == hash(network)
        assert network != other
        expected = f"<Network of width 16, 2 blocks and 4 heads for {Variant()!r}>"
        assert repr(network) == expected

    def test_bad_input(self):
        network = network_for(Variant())
        with pytest.raises(ValueError, match=r"the shape \(B, 56\), not \(2, 55\)"):
            network.evaluate(np.zeros((2, 55), np.float32))
        for sizes, words in [
            ((0, 1, 1), "has 0 units, it needs at least 1"),
            ((16, 1, 0), "has 0 heads, it needs at least 1"),
            ((16, 1, 5), "has 16 units, which must be a multiple of its 5 heads"),
            ((4, 1, 8), "has 4 units, which must be a multiple of its 8 heads"),
            ((16, 2, 4), "has 7 weights, its layers need 4967"),
            ((2**40, 2**40, 1), "has 7 weights, its layers need more than can be counted"),
        ]:
            with pytest.raises(CheckpointError, match=words):
                Network.of_cells(Variant(), *sizes, np.zeros(7, np.float32))
        weights = weights_for(Variant())
        for wrong in (weights[:-1], np.append(weights, weights[:1])):
            with pytest.raises(CheckpointError, match=f"has {len(wrong)} weights"):
                Network.of_cells(Variant(), 16, 2, 4, wrong)
        weights[9] = np.nan
        with pytest.raises(CheckpointError, match="weight 9 of the network is infinite or NaN"):
            Network.of_cells(Variant(), 16, 2, 4, weights)


class TestCanvas:
    """One network on every board that fits."""

    VARIANTS = (GAPS, Variant(Board.from_text("##.\n###"), "anywhere", 3), Variant(copies=3))

    def positions(self):
        mixed = [position for variant in self.VARIANTS for position in playable(variant, 2)]
        return [mixed[i] for i in np.random.default_rng(1).permutation(len(mixed))]

    def test_a_position_has_the_outputs_of_its_board_alone(self):
        canvas = Canvas(5, 6)
        network = canvas_network(canvas, copies=3)
        assert (network.variant, network.canvas, network.copies) == (None, canvas, 3)
        positions = self.positions()
        observations = observe_batch(positions, canvas=canvas)
        for precision in ("float32", "int16"):
            logits, values = network.evaluate(observations, precision=precision)
            assert logits.shape == (len(positions), canvas.num_actions)
            for row in range(0, len(positions), 7):
                alone = network.evaluate(observations[row : row + 1], precision=precision)
                np.testing.assert_array_equal(alone[0][0], logits[row])
                np.testing.assert_array_equal(alone[1][0], values[row])
                missing = np.ones(canvas.num_actions, bool)
                missing[canvas.actions(positions[row].variant)] = False
                assert not logits[row][missing].any() and logits[row][~missing].all()
        # Where on the canvas the board lies makes no difference.
        small = [position for position in positions if position.variant == self.VARIANTS[1]]
        observations = observe_batch(small, canvas=canvas)
        moved = np.roll(observations, (2, 1), axis=(2, 3))
        logits, values = network.evaluate(observations)
        other, same = network.evaluate(moved)
        np.testing.assert_array_equal(values, same)
        planes = logits[:, :-1].reshape(-1, 4, 5, 6)
        np.testing.assert_array_equal(
            np.roll(planes, (2, 1), axis=(2, 3)), other[:, :-1].reshape(-1, 4, 5, 6)
        )
        assert network.evaluate(observations[:0])[0].shape == (0, canvas.num_actions)

    def test_actions_are_chosen_on_several_boards_at_once(self):
        network = canvas_network(Canvas(5, 6), copies=3)
        positions = self.positions()
        for temperature in (0.0, 1.0):
            actions = network.choose(positions, temperature, 3, 20)
            alone = [
                network.choose([position], temperature, 3, 20 + i)[0]
                for i, position in enumerate(positions)
            ]
            assert actions.tolist() == alone
            masks = [position.action_mask() for position in positions]
            assert all(mask[action] for mask, action in zip(masks, actions, strict=True))

    def test_files(self):
        network = canvas_network(Canvas(5, 6), copies=3)
        for copied in (Network(network.to_bytes()), pickle.loads(pickle.dumps(network))):
            assert copied == network and hash(copied) == hash(network)
        assert network != canvas_network(Canvas(6, 5), copies=3)
        assert "12, 2 blocks and 3 heads for boards that fit 5 x 6 cells" in repr(network).replace(
            "width ", ""
        )

    def test_bad_input(self):
        network = canvas_network(Canvas(5, 6), copies=3)
        with pytest.raises(ValueError, match=r"shape \(B, 12, 5, 6\), not \(2, 12, 6, 5\)"):
            network.evaluate(np.zeros((2, 12, 6, 5), np.float32))
        with pytest.raises(ValueError, match="observation 1 shows no board: "):
            observations = observe_batch([Position(GAPS)], canvas=Canvas(5, 6))
            network.evaluate(np.concatenate([observations, 0 * observations]))
        with pytest.raises(TypeError):
            network.evaluate(np.zeros((2, 56), np.float32))
        with pytest.raises(PolicyError, match=r"on boards that fit 5 x 6 cells, with 3 copies and"):
            network.choose([Position()], 0.0, 0, 0)
        with pytest.raises(VariantError, match="copies"):
            canvas_network(Canvas(5, 6), copies=0)


class TestFiles:
    @pytest.mark.parametrize(
        ("kind", "words"),
        [
            ("newer", "has format version 4, this package reads versions 2 to 3"),
            ("short", "has 20 bytes and should have 28"),
            ("truncated", "truncated or has been added to"),
            ("longer", "truncated or has been added to"),
            ("flipped", "damaged: its checksum does not match"),
        ],
    )
    def test_bad_files_say_what_and_why(self, tmp_path, kind, words):
        file = tmp_path / "network.bin"
        file.write_bytes(damaged(kind, network_for(Variant()).to_bytes()))
        with pytest.raises(CheckpointError, match=words):
            Network.load(file)

    def test_the_size_is_that_of_the_weights(self):
        network = network_for(GAPS)
        assert network.num_weights == weight_count(GAPS, 16, 2, 4)
        extra = len(network.to_bytes()) - 4 * network.num_weights
        text = f"anywhere 3\n{GAPS.board.to_text()}"
        assert extra == 28 + 4 + len(text) + 4 + len("cells") + 4 * 4


class TestPlay:
    @pytest.fixture
    def file(self, tmp_path):
        path = tmp_path / "cells.bin"
        path.write_bytes(network_for(GAPS).to_bytes())
        return path

    def test_it_plays_the_largest_legal_logit(self, file):
        policy = NetworkPolicy(Network.load(file))
        positions = playable(GAPS, 20)
        actions = policy.act_batch(positions)
        plain = NetworkPolicy(lambda observations, _: policy.model.evaluate(observations))
        assert actions.tolist() == plain.act_batch(positions).tolist()
        assert [policy.act(position) for position in positions[:20]] == actions[:20].tolist()
        assert pickle.loads(pickle.dumps(policy)) == policy

    def test_a_search_before_every_move(self, file):
        positions = [position for position in playable(GAPS, 5) if position.ply < 9]
        search = NetworkPolicy(Network.load(file), search=16)
        actions = search.act_batch(positions)
        masks = np.stack([position.action_mask() for position in positions])
        assert masks[np.arange(len(positions)), actions].all()
        again = NetworkPolicy(Network.load(file), search=16)
        assert again.act_batch(positions).tolist() == actions.tolist()
        assert actions.tolist() != NetworkPolicy(Network.load(file)).act_batch(positions).tolist()

    def test_other_boards_are_refused(self, file):
        with pytest.raises(PolicyError, match="was trained on Variant"):
            NetworkPolicy(Network.load(file)).act(Position())

    def test_games_do_not_depend_on_threads(self):
        network = network_for(Variant())
        settings = {"seed": 3, "num_simulations": 8, "num_games": 20}
        first, second = (
            SelfPlay(network, num_threads=num_threads, **settings).play(30)
            for num_threads in (1, 2)
        )
        assert first.statistics.evaluations > 0
        for name in ("observations", "policy_targets", "root_values", "margins"):
            np.testing.assert_array_equal(getattr(first, name), getattr(second, name), strict=True)

    def test_a_forced_pass_is_played(self):
        variant = Variant()
        only_pass = [variant.pass_action]
        positions = [it for it in playable(variant, 60) if list(it.legal_actions()) == only_pass]
        assert positions
        policy = NetworkPolicy(network_for(variant))
        assert set(policy.act_batch(positions).tolist()) == set(only_pass)
