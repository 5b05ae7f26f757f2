"""Native networks: outputs, values, files, and networks for a canvas."""

import copy
import math
import os
import pickle
import re
import sys

import numpy as np
import pytest

from board_shapes import GAPS
from mijnlieff import (
    Board,
    Canvas,
    CheckpointError,
    Network,
    PolicyError,
    Position,
    Variant,
    VariantError,
    load_policy,
)
from mijnlieff.encoding import mask_batch, observe_batch
from network_inputs import (
    EACH_VARIANT,
    VARIANTS,
    canvas_network,
    damaged,
    network_for,
    num_weights,
)
from network_reference import reference_of
from played import games, playable

needs_links = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such files")

LARGE = Variant(Board.from_text("########\n" * 8), "anywhere", 8)
SIZES = [(16, 2, 4), (5, 1, 5), (20, 2, 1), (1, 0, 1), (12, 3, 12)]
"""Units, blocks and heads, also such as fill no vector."""


def assert_documented(network, variant, positions):
    """Assert that a network computes what the documentation of its file says, up to rounding."""
    reference = reference_of(network.to_bytes())
    assert reference.variant == network.variant == variant
    assert sum(array.size for array in reference.arrays) == network.num_weights
    observations = observe_batch(positions, "flat")
    logits, values = network.evaluate(observations)
    read = Network(network.to_bytes())
    assert read == network and read.variant == variant
    assert all(map(np.array_equal, read.evaluate(observations), (logits, values)))
    assert logits.dtype == values.dtype == np.float32
    assert logits.shape == (len(positions), variant.num_actions)
    assert values.shape == (len(positions), 2)
    expected = [reference.evaluate(position) for position in positions]
    wanted_outputs = (np.array(part) for part in zip(*expected, strict=True))
    for found, wanted in zip((logits, values), wanted_outputs, strict=True):
        spread = np.abs(wanted).mean()
        assert spread > 0.05
        assert np.abs(found - wanted).max() < 0.02 * spread
        assert np.abs(found - wanted).mean() < 0.002 * spread


class TestOutputs:
    @pytest.mark.parametrize(
        "variant", [*VARIANTS.values(), GAPS, LARGE], ids=[*VARIANTS, "gaps", "large"]
    )
    def test_networks_are_as_documented(self, variant):
        for sizes in SIZES:
            network = network_for(variant, *sizes, seed=1)
            assert_documented(network, variant, games(variant, 1)[-40:])
            read = Network(network.to_bytes())
            assert (read.width, read.blocks, read.heads) == sizes

    @pytest.mark.parametrize("variant", [Variant(), GAPS, LARGE], ids=["standard", "gaps", "large"])
    def test_larger_networks_are_as_documented(self, variant):
        assert_documented(network_for(variant, 48, 3, 8), variant, games(variant, 10)[::5])

    def test_they_depend_on_neither_the_batch_nor_the_threads(self):
        network = network_for(Variant())
        observations = observe_batch(playable(Variant(), 20), "flat")
        assert len(observations) > 300
        whole = network.evaluate(observations, num_threads=1)
        for cut in (1, 3, 33):
            parts = [observations[i : i + cut] for i in range(0, len(observations), cut)]
            outputs = [network.evaluate(part) for part in parts]
            for found, expected in zip(zip(*outputs, strict=True), whole, strict=True):
                assert np.array_equal(np.concatenate(found), expected)
        for threads in (2, 3, 9, None):
            found = network.evaluate(observations, num_threads=threads)
            assert all(map(np.array_equal, found, whole))
        assert network.evaluate(observations[:0])[0].shape == (0, 65)

    def test_numbers_that_overflow_are_nan(self):
        network = network_for(Variant(), scale=1e37)
        logits, values = network.evaluate(observe_batch([Position()], "flat"))
        assert np.isnan(logits).all() and np.isnan(values).all()

    def test_any_layout_in_memory_will_do(self):
        network = network_for(Variant())
        observations = observe_batch(playable(Variant(), 2), "flat")
        expected = network.evaluate(observations)
        for same in (np.asfortranarray(observations), np.repeat(observations, 2, axis=0)[::2]):
            assert all(map(np.array_equal, network.evaluate(same), expected))

    def test_masks_rule_actions_out(self):
        network, positions = network_for(Variant()), playable(Variant(), 5)
        observations, masks = observe_batch(positions, "flat"), mask_batch(positions)
        plain, values = network.evaluate(observations)
        twos = (2 * masks).view(bool)  # true to NumPy, and not a bool to the compiler
        assert np.array_equal(twos, masks.astype(bool))
        wide = np.repeat(masks.astype(bool), 2, axis=1)[:, ::2]
        for form in (masks, masks.astype(bool), np.asfortranarray(masks), -masks, twos, wide):
            logits, same = network.evaluate(observations, form)
            np.testing.assert_array_equal(logits, np.where(masks, plain, -np.inf))
            np.testing.assert_array_equal(values, same)
        with pytest.raises(
            ValueError, match=r"the masks .* have the shape \(.*, 65\), not \(1, 65\)"
        ):
            network.evaluate(observations, masks[:1])
        for wrong in (masks.astype(float), masks[0], "all"):
            with pytest.raises(TypeError):
                network.evaluate(observations, wrong)

    def test_bad_observations(self):
        network = network_for(Variant())
        with pytest.raises(ValueError, match=r"the shape \(B, 56\), not \(2, 55\)"):
            network.evaluate(np.zeros((2, 55), np.float32))
        with pytest.raises(ValueError, match=r"num_threads must be .* not 0"):
            network.evaluate(np.zeros((2, 56), np.float32), num_threads=0)
        for shape in ((56,), (), (2, 56, 1)):
            words = rf"the shape \(B, 56\), not {re.escape(str(shape))}"
            with pytest.raises(ValueError, match=words):
                network.evaluate(np.zeros(shape, np.float32))
        for wrong, found in [
            (np.zeros((2, 56)), "an array of float64"),
            (np.zeros((2, 56), np.float16), "an array of float16"),
            (np.zeros((2, 56), ">f4"), "an array of >f4"),
            ([[0.0] * 2], r"\[\[0\.0, 0\.0\]\]"),
            (None, "None"),
        ]:
            words = rf"observations must be a float32 array of shape \(B, 56\), not {found}"
            with pytest.raises(TypeError, match=words):
                network.evaluate(wrong)


class TestChoices:
    @pytest.mark.parametrize("temperature", [math.nan, -1.0, -5e-324, math.inf, -math.inf])
    def test_temperatures_are_finite_and_not_negative(self, temperature):
        with pytest.raises(
            ValueError, match="temperature must be a finite number of at least 0, not "
        ):
            network_for(Variant()).choose([Position()], temperature, 0, 0)

    @EACH_VARIANT
    def test_a_tiny_temperature_chooses_as_none_does(self, variant):
        network, positions = network_for(variant), playable(variant, 5)
        best = network.choose(positions, 0, 0, 0).tolist()
        for temperature in (5e-324, 1e-307, 1e-300, 1e-100):
            assert network.choose(positions, temperature, 7, 0).tolist() == best

    def test_temperatures_may_be_large(self):
        network = network_for(Variant())
        for large in (1e39, sys.float_info.max):
            drawn = [network.choose([Position()], large, seed, 0)[0] for seed in range(20)]
            assert len(set(drawn)) > 5

    @pytest.mark.parametrize("wrong", [-1, 2**64])
    def test_seeds_and_streams_are_of_64_bits(self, wrong):
        network = network_for(Variant())
        for name in ("seed", "first"):
            numbers = {"seed": 0, "first": 0, name: wrong}
            words = rf"{name} must be 0 to 2\*\*64 - 1, not {wrong}"
            with pytest.raises(ValueError, match=words):
                network.choose([Position()], 1.0, **numbers)
            for other in (0.5, "0", True, None):
                with pytest.raises(TypeError, match=f"{name} must be an integer, not {other!r}"):
                    network.choose([Position()], 1.0, **{**numbers, name: other})


class TestValues:
    def test_a_network_is_a_value(self):
        network = network_for(Variant())
        assert (network.width, network.blocks, network.heads) == (16, 2, 4)
        for twin in (
            Network(network.to_bytes()),
            pickle.loads(pickle.dumps(network)),
            copy.deepcopy(network),
        ):
            assert twin == network and hash(twin) == hash(network)
        assert network != network_for(Variant(), seed=1) and network != "network"
        assert repr(network) == f"<Network of width 16, 2 blocks and 4 heads for {Variant()!r}>"

    def test_weights(self):
        for sizes, words in [
            ((0, 1, 1), "has 0 units, it needs at least 1"),
            ((16, 1, 0), "has 0 heads, it needs at least 1"),
            ((16, 1, 5), "has 16 units, which must be a multiple of its 5 heads"),
            ((4, 1, 8), "has 4 units, which must be a multiple of its 8 heads"),
            ((16, 2, 4), "has 7 weights, its layers need 4983"),
            ((2**40, 2**40, 1), "has 7 weights, its layers need more than can be counted"),
        ]:
            with pytest.raises(CheckpointError, match=words):
                Network.of_cells(Variant(), *sizes, np.zeros(7, np.float32))
        weights = np.ones(num_weights(Board.standard(), 16, 2, 4), np.float32)
        for wrong in (weights[:-1], np.append(weights, weights[:1])):
            with pytest.raises(CheckpointError, match=f"has {len(wrong)} weights"):
                Network.of_cells(Variant(), 16, 2, 4, wrong)
        weights[9] = np.nan
        with pytest.raises(CheckpointError, match="weight 9 of the network is infinite or NaN"):
            Network.of_cells(Variant(), 16, 2, 4, weights)

    def test_only_networks_of_the_package_are_converted(self):
        with pytest.raises(TypeError, match=r"a network of mijnlieff\.train, not 'x'"):
            Network.from_torch("x")


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
        logits, values = network.evaluate(observations)
        assert logits.shape == (len(positions), canvas.num_actions)
        for row in range(0, len(positions), 7):
            alone = network.evaluate(observations[row : row + 1])
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
        with pytest.raises(ValueError, match=r"shape \(B, 12, 5, 6\), not \(2, 56\)"):
            network.evaluate(np.zeros((2, 56), np.float32))
        with pytest.raises(
            TypeError, match=r"float32 array of shape \(B, 12, 5, 6\), not an array"
        ):
            network.evaluate(np.zeros((2, 12, 5, 6)))
        with pytest.raises(PolicyError, match=r"on boards that fit 5 x 6 cells, with 3 copies and"):
            network.choose([Position()], 0.0, 0, 0)
        with pytest.raises(VariantError, match="copies"):
            canvas_network(Canvas(5, 6), copies=0)


class TestFiles:
    @pytest.mark.parametrize(
        ("kind", "words"),
        [
            ("empty", "does not start with MIJNNETW"),
            ("foreign", "does not start with MIJNNETW"),
            ("old", "has format version 1, .* train one with mijnlieff train, and write"),
            ("newer", "has format version 6, this package reads versions 2 to 5"),
            ("short", "has 20 bytes and should have 28"),
            ("truncated", "truncated or has been added to"),
            ("longer", "truncated or has been added to"),
            ("flipped", "damaged: its checksum does not match"),
        ],
    )
    def test_bad_files_say_what_and_why(self, tmp_path, kind, words):
        file = tmp_path / "other.bin"
        file.write_bytes(damaged(kind, network_for(Variant()).to_bytes()))
        with pytest.raises(CheckpointError, match=words) as caught:
            Network.load(file)
        assert str(file) in str(caught.value)

    def test_every_byte_of_the_header_counts(self):
        content = network_for(Variant()).to_bytes()
        for at in range(28):
            with pytest.raises(CheckpointError):
                Network(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
            with pytest.raises(CheckpointError):
                Network(content[:at])

    def test_the_size_is_that_of_the_weights(self):
        network = network_for(GAPS)
        assert network.num_weights == num_weights(GAPS.board, 16, 2, 4)
        extra = len(network.to_bytes()) - 4 * network.num_weights
        text = f"anywhere 3\n{GAPS.board.to_text()}"
        assert extra == 28 + 4 + len(text) + 4 + len("cells") + 4 * 4

    @pytest.mark.parametrize(
        "network",
        [canvas_network(Canvas(5, 6)), *map(network_for, [GAPS, *VARIANTS.values()])],
        ids=["canvas", "gaps", *VARIANTS],
    )
    def test_half_rounds_the_weights_to_16_bits(self, network):
        half = network.half()
        assert (network.weights != half.weights).any()
        expected = network.weights.astype(np.float16).astype(np.float32)
        np.testing.assert_array_equal(half.weights, expected, strict=True)
        content, of_half = network.to_bytes(), half.to_bytes()
        assert content[8:12] == bytes([2 + (network.canvas is not None), 0, 0, 0])
        assert of_half[8] == content[8] + 2
        count = network.num_weights
        assert of_half[28 : -2 * count] == content[28 : -4 * count]
        assert of_half[-2 * count :] == half.weights.astype("<f2").tobytes()
        assert half == Network(of_half) == half.half() != network
        assert pickle.loads(pickle.dumps(half)) == half
        assert hash(half) == hash(Network(of_half))

    @EACH_VARIANT
    def test_half_evaluates_the_rounded_weights(self, variant):
        network = network_for(variant)
        half = network.half()
        rounded = Network.of_cells(
            variant, network.width, network.blocks, network.heads, half.weights
        )
        observations = observe_batch(playable(variant, 5), "flat")
        expected = rounded.evaluate(observations)
        for same in (half, Network(half.to_bytes())):
            for one, other in zip(same.evaluate(observations), expected, strict=True):
                np.testing.assert_array_equal(one, other, strict=True)
        assert (expected[0] != network.evaluate(observations)[0]).any()

    def test_weights_too_large_for_16_bits_are_refused(self):
        weights = np.zeros(num_weights(Variant().board, 16, 2, 4), np.float32)
        weights[7] = -65519
        sizes = Variant(), 16, 2, 4
        assert Network.of_cells(*sizes, weights).half().weights[7] == -65504
        weights[7] = 65520
        with pytest.raises(CheckpointError, match=r"weight 7 .* is 65520, too large for 16 bits"):
            Network.of_cells(*sizes, weights).half()

    def test_a_network_is_saved_whole_and_loaded(self, tmp_path):
        network, path = network_for(Variant()), tmp_path / "network.bin"
        path.write_bytes(b"older")
        network.save(path)
        assert path.read_bytes() == network.to_bytes()
        assert Network.load(path) == Network.load(str(path)) == network
        assert [one.name for one in tmp_path.iterdir()] == ["network.bin"]

    def test_what_a_network_may_take_is_bounded(self, tmp_path):
        weights = np.zeros(num_weights(LARGE.board, 1, 9000, 1), np.float32)
        with pytest.raises(CheckpointError, match=r"takes \d{10} bytes .* at most 2147483648 are"):
            Network.of_cells(LARGE, 1, 9000, 1, weights)
        path = tmp_path / "large"
        with path.open("wb") as file:
            file.truncate(2**31 + 1)
        with pytest.raises(CheckpointError, match=r"large is too large, at most 2147483648 bytes"):
            Network.load(path)

    def test_files_that_cannot_be_written_or_read(self, tmp_path):
        network, missing = network_for(Variant()), tmp_path / "none" / "network.bin"
        with pytest.raises(OSError, match=r"cannot write .*network.bin: No such file"):
            network.save(missing)
        with pytest.raises(CheckpointError, match=r"the network file .*network.bin does not exist"):
            Network.load(missing)
        with pytest.raises(
            CheckpointError, match=r"cannot read the network file .*: Is a directory"
        ):
            Network.load(tmp_path)
        (tmp_path / "folder").mkdir()
        with pytest.raises(OSError, match="cannot write"):
            network.save(tmp_path / "folder")
        assert [one.name for one in tmp_path.iterdir()] == ["folder"]

    @pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no such files")
    def test_a_pipe_is_not_waited_for(self, tmp_path):
        os.mkfifo(tmp_path / "pipe")
        for load in (Network.load, load_policy):
            with pytest.raises(CheckpointError, match=r"cannot read .*pipe: not a regular file$"):
                load(tmp_path / "pipe")

    @needs_links
    def test_links_stay_and_the_file_they_lead_to_is_replaced(self, tmp_path):
        network = network_for(Variant())
        folder = tmp_path / "folder"
        folder.mkdir()
        (folder / "old").write_bytes(b"older")
        links = {"near": "folder/old", "far": tmp_path / "near", "dangling": "folder/new"}
        for name, target in links.items():
            (tmp_path / name).symlink_to(target)
        for name, target in {"far": "old", "dangling": "new"}.items():
            network.save(tmp_path / name)
            assert (folder / target).read_bytes() == network.to_bytes()
        assert all((tmp_path / name).is_symlink() for name in links)
        assert sorted(one.name for one in folder.iterdir()) == ["new", "old"]
        (tmp_path / "circle").symlink_to("circle")
        with pytest.raises(OSError, match=r"cannot write .*circle: Too many levels"):
            network.save(tmp_path / "circle")

    @needs_links
    def test_only_a_regular_file_is_replaced(self, tmp_path):
        os.mkfifo(tmp_path / "pipe")
        (tmp_path / "link").symlink_to("pipe")
        for name in ("pipe", "link"):
            with pytest.raises(OSError, match=rf"cannot write .*{name}: not a regular file$"):
                network_for(Variant()).save(tmp_path / name)
        assert (tmp_path / "pipe").is_fifo()
        assert sorted(one.name for one in tmp_path.iterdir()) == ["link", "pipe"]
