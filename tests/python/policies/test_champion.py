"""The champion, and networks in files: what they are, what they choose, what they refuse."""

import copy
import pickle
from importlib.resources import files
from itertools import pairwise

import numpy as np
import pytest

import mijnlieff
from interrupts import last_words_when_interrupted, lets_other_threads_run, needs_signals
from mijnlieff import (
    Board,
    ChampionPolicy,
    CheckpointError,
    GameOverError,
    Network,
    NetworkPolicy,
    Policy,
    PolicyError,
    Position,
    SearchOptions,
    Variant,
    VectorEnv,
    evaluate,
)
from mijnlieff.encoding import observe_batch
from mijnlieff.evaluation import random_openings
from network_inputs import (
    EACH_VARIANT,
    VARIANTS,
    damaged,
    games,
    network_for,
    outputs_with_integers,
    playable,
)
from network_reference import reference_of

EXAMPLE = (
    "1. a1+, a3><; 2. a2+, a4<>; 3. b2><, c2+; 4. c3<>, c1x; 5. d2><, d3+; 6. d4x, pass; "
    "7. b4x, pass; 8. b3<>, b1<> #"
)


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "other.bin"
    path.write_bytes(network_for(Variant(), seed=5).to_bytes())
    return path


class TestNetwork:
    @EACH_VARIANT
    def test_it_is_what_the_documentation_says(self, variant):
        network = network_for(variant)
        reference = reference_of(network.to_bytes())
        assert reference.variant == network.variant == variant
        assert sum(array.size for array in reference.arrays) == network.num_weights
        positions = games(variant, 3)
        logits, values = network.evaluate(observe_batch(positions, "flat"))
        assert logits.dtype == values.dtype == np.float32
        assert logits.shape == (len(positions), variant.num_actions)
        assert values.shape == (len(positions), 2)
        expected = [reference.evaluate(position) for position in positions]
        np.testing.assert_allclose(logits, [logit for logit, _ in expected], rtol=0, atol=2e-4)
        np.testing.assert_allclose(values, [value for _, value in expected], rtol=0, atol=2e-4)
        assert np.abs(logits).mean() > 0.1

    @EACH_VARIANT
    @pytest.mark.parametrize("channels", [1, 4, 17])
    def test_integers_are_close_to_floats(self, variant, channels):
        network = network_for(variant, channels, scale=0.8 / channels**0.5)
        outputs_with_integers(network, observe_batch(games(variant, 20), "flat"))

    @pytest.mark.parametrize("precision", ["float32", "int16"])
    def test_outputs_depend_on_neither_the_batch_nor_the_threads(self, precision):
        network = network_for(Variant())
        observations = observe_batch(playable(Variant(), 20), "flat")
        assert len(observations) > 300
        whole = network.evaluate(observations, precision=precision, num_threads=1)
        for cut in (1, 3, 33):
            parts = [observations[i : i + cut] for i in range(0, len(observations), cut)]
            found = zip(
                *(network.evaluate(part, precision=precision) for part in parts), strict=True
            )
            for outputs, expected in zip(found, whole, strict=True):
                assert np.array_equal(np.concatenate(outputs), expected)
        for threads in (2, 3, 9, None):
            found = network.evaluate(observations, precision=precision, num_threads=threads)
            for outputs, expected in zip(found, whole, strict=True):
                assert np.array_equal(outputs, expected)

    def test_the_champion_plays_the_same_moves_by_integers(self):
        positions = playable(Variant(), 60)
        observations = observe_batch(positions, "flat")
        network = ChampionPolicy().model
        masks = np.stack([position.action_mask() for position in positions]).astype(bool)
        floats, integers = (
            np.where(masks, network.evaluate(observations, precision=form)[0], -np.inf)
            for form in ("float32", "int16")
        )
        ranked = np.sort(floats, axis=1)
        clear = ranked[:, -1] - ranked[:, -2] > 0.05
        assert clear.mean() > 0.8
        assert (floats.argmax(axis=1) == integers.argmax(axis=1))[clear].all()

    def test_integers_that_overflow_are_nan(self):
        network = network_for(Variant(), scale=1e37)
        logits, values = network.evaluate(observe_batch([Position()], "flat"), precision="int16")
        assert np.isnan(logits).all() and np.isnan(values).all()

    def test_it_is_a_value(self):
        network = network_for(Variant())
        other = network_for(Variant(), seed=1)
        assert (network.form, network.heads) == ("symmetric", None)
        assert (network.width, network.blocks) == (32, 2)
        for twin in (
            Network(network.to_bytes()),
            pickle.loads(pickle.dumps(network)),
            copy.deepcopy(network),
        ):
            assert twin == network and hash(twin) == hash(network)
        assert network != other and network != "network"
        assert repr(network) == f"<Network of width 32 and 2 blocks for {Variant()!r}>"

    def test_any_layout_in_memory_will_do(self):
        network = network_for(Variant())
        observations = observe_batch(playable(Variant(), 2), "flat")
        expected = network.evaluate(observations)
        for same in (np.asfortranarray(observations), np.repeat(observations, 2, axis=0)[::2]):
            for found, wanted in zip(network.evaluate(same), expected, strict=True):
                assert np.array_equal(found, wanted)
        assert network.evaluate(observations[:0])[0].shape == (0, 65)

    def test_bad_input(self):
        network = network_for(Variant())
        with pytest.raises(ValueError, match=r"the shape \(B, 56\), not \(2, 55\)"):
            network.evaluate(np.zeros((2, 55), np.float32))
        with pytest.raises(ValueError, match='must be "float32" or "int16", not "int8"'):
            network.evaluate(np.zeros((2, 56), np.float32), precision="int8")
        with pytest.raises(ValueError, match=r"num_threads must be .* not 0"):
            network.evaluate(np.zeros((2, 56), np.float32), num_threads=0)
        for wrong in (np.zeros((2, 56)), np.zeros(56, np.float32), None):
            with pytest.raises(TypeError):
                network.evaluate(wrong)
        for channels, blocks, count in ((4, 2, 7), (0, 0, 0), (2**40, 2**40, 7)):
            with pytest.raises(CheckpointError, match="the network has"):
                Network.symmetric(Variant(), channels, blocks, np.zeros(count, np.float32))
        weights = np.frombuffer(network.to_bytes()[-4 * network.num_weights :], "<f4").copy()
        assert Network.symmetric(Variant(), 4, 2, weights) == network
        weights[9] = np.nan
        with pytest.raises(CheckpointError, match="weight 9 of the network is infinite or NaN"):
            Network.symmetric(Variant(), 4, 2, weights)


class TestFiles:
    @pytest.mark.parametrize(
        ("kind", "words"),
        [
            ("empty", "does not start with MIJNNETW"),
            ("foreign", "does not start with MIJNNETW"),
            ("newer", "has format version 4, this package reads versions 2 to 3"),
            ("short", "has 20 bytes and should have 28"),
            ("truncated", "truncated or has been added to"),
            ("longer", "truncated or has been added to"),
            ("flipped", "damaged: its checksum does not match"),
        ],
    )
    def test_bad_files_say_what_and_why(self, file, kind, words):
        file.write_bytes(damaged(kind, file.read_bytes()))
        with pytest.raises(CheckpointError, match=words) as caught:
            Network.load(file)
        assert str(file) in str(caught.value)

    def test_no_file(self, tmp_path):
        with pytest.raises(CheckpointError, match=r"the network file .*no\.bin does not exist"):
            Network.load(tmp_path / "no.bin")
        with pytest.raises(CheckpointError, match="cannot read the network"):
            Network.load(tmp_path)

    def test_every_byte_of_the_header_counts(self):
        content = network_for(Variant()).to_bytes()
        for at in range(28):
            with pytest.raises(CheckpointError):
                Network(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
            with pytest.raises(CheckpointError):
                Network(content[:at])

    def test_the_champion_is_small_and_of_the_standard_game(self):
        content = (files("mijnlieff") / "data" / "champion.bin").read_bytes()
        assert len(content) < 1_500_000
        assert ChampionPolicy().model.variant == Variant()
        assert ChampionPolicy().model == Network(content)


class TestPolicy:
    def test_it_plays_the_largest_legal_logit(self, file):
        policy = NetworkPolicy(Network.load(file))
        assert isinstance(policy, Policy)
        positions = playable(Variant(), 40)
        actions = policy.act_batch(positions)
        assert actions.dtype == np.int64 and actions.shape == (len(positions),)
        plain = NetworkPolicy(lambda observations, _: policy.model.evaluate(observations))
        assert actions.tolist() == plain.act_batch(positions).tolist()
        assert [policy.act(position) for position in positions[:50]] == actions[:50].tolist()
        assert policy.act_batch([]).shape == (0,)

    def test_draws_come_from_the_seed_however_calls_are_cut(self, file):
        positions = playable(Variant(), 10)
        whole = NetworkPolicy(Network.load(file), seed=3, temperature=1.0)
        drawn = whole.act_batch(positions).tolist()
        parts = NetworkPolicy(Network.load(file), seed=3, temperature=1.0)
        cuts = [0, 1, 2, 30, 77, len(positions)]
        assert [a for i, j in pairwise(cuts) for a in parts.act_batch(positions[i:j])] == drawn
        other = NetworkPolicy(Network.load(file), seed=4, temperature=1.0)
        assert other.act_batch(positions).tolist() != drawn
        cold = NetworkPolicy(Network.load(file), temperature=1e-7).act_batch(positions)
        best = NetworkPolicy(Network.load(file)).act_batch(positions)
        logits, _ = whole.model.evaluate(observe_batch(positions))
        rows = np.arange(len(positions))
        # Equal logits, as of the four corners of an empty board, are drawn among.
        np.testing.assert_allclose(logits[rows, cold], logits[rows, best], rtol=0, atol=1e-5)

    def test_policies_are_values(self, file):
        kinds = [
            ChampionPolicy(),
            ChampionPolicy(seed=2, temperature=0.5),
            ChampionPolicy(search=4),
            NetworkPolicy(Network.load(file), seed=2, temperature=0.5),
        ]
        for policy in kinds:
            policy.act(Position())
            if isinstance(policy, ChampionPolicy):
                assert eval(repr(policy), vars(mijnlieff)) == policy
            for twin in (
                copy.copy(policy),
                copy.deepcopy(policy),
                pickle.loads(pickle.dumps(policy)),
            ):
                assert twin == policy and hash(twin) == hash(policy)
                # The decisions made so far travel along.
                same = copy.deepcopy(policy)
                positions = [Position()] * 20
                assert twin.act_batch(positions).tolist() == same.act_batch(positions).tolist()
        assert len(set(kinds)) == 4
        assert kinds[0] != ChampionPolicy(seed=1) and kinds[0] != "champion"

    def test_the_champion_is_a_policy_by_its_network(self):
        champion = ChampionPolicy(search=4)
        assert isinstance(champion, NetworkPolicy)
        options = SearchOptions(4, solve_roots_below=9, solve_leaves_below=9)
        assert champion == NetworkPolicy(champion.model, search=options)
        assert ChampionPolicy(search=options) == champion != ChampionPolicy(search=SearchOptions(4))

    @pytest.mark.parametrize("temperature", [-1.0, float("nan"), float("inf")])
    def test_bad_settings(self, temperature):
        with pytest.raises(ValueError, match=f"finite number of at least 0, not {temperature}"):
            ChampionPolicy(temperature=temperature)
        for wrong in ("0.5", True, None):
            with pytest.raises(TypeError, match=f"temperature must be a number, not {wrong!r}"):
                ChampionPolicy(temperature=wrong)
        for seed in (-1, 2**64):
            with pytest.raises(ValueError, match=f"not {seed}"):
                ChampionPolicy(seed=seed)
        assert ChampionPolicy(seed=2**64 - 1, temperature=1.0).act(Position()) in range(65)

    def test_a_search_before_every_move(self, file):
        positions = random_openings(40, 5, seed=3)
        network = Network.load(file)
        options = SearchOptions(32, solve_roots_below=9, solve_leaves_below=9)
        search = NetworkPolicy(network, search=options)
        assert "num_simulations=32" in repr(search)
        assert search != NetworkPolicy(network)
        assert search == pickle.loads(pickle.dumps(search))
        actions = search.act_batch(positions)
        again = pickle.loads(pickle.dumps(NetworkPolicy(network, search=options)))
        np.testing.assert_array_equal(actions, again.act_batch(positions))
        # It solves what it is asked to.
        assert search.exact_endings == (9, 8)
        alone = NetworkPolicy(network, search=32)
        assert alone.exact_endings is None and alone != search
        # The weight of the points is that of the run, which the file does not keep.
        plain = NetworkPolicy(network, search=SearchOptions(32, margin_weight=0.0))
        assert plain != alone
        assert plain.act_batch(positions).tolist() != alone.act_batch(positions).tolist()
        # Near the end it is exact.
        late = mijnlieff.evaluation.random_openings(40, 9, seed=3)
        margins = mijnlieff.solve_batch(late)
        chosen = search.act_batch(late)
        assert all(
            margins.action_margins[i, action] == margins.margins[i]
            for i, action in enumerate(chosen)
        )

    def test_bad_searches(self):
        with pytest.raises(ValueError, match=r"num_simulations must be .* not -1"):
            ChampionPolicy(search=-1)
        with pytest.raises(TypeError):
            ChampionPolicy(search=1.5)
        with pytest.raises(ValueError, match=r"temperature must be 0, not 0\.5"):
            ChampionPolicy(temperature=0.5, search=8)

    def test_finished_games_are_refused_and_cost_no_decision(self, file):
        policy, twin = (NetworkPolicy(Network.load(file), temperature=2.0) for _ in range(2))
        finished = Position.from_record(EXAMPLE)
        with pytest.raises(GameOverError, match="position 0: the game is over"):
            policy.act(finished)
        with pytest.raises(GameOverError, match="position 1: the game is over"):
            policy.act_batch([Position(), finished])
        positions = [Position()] * 20
        assert policy.act_batch(positions).tolist() == twin.act_batch(positions).tolist()

    def test_other_games(self):
        policy = ChampionPolicy()
        anywhere = Variant(opening="anywhere")
        assert Position(anywhere).play(policy.act(Position(anywhere))).ply == 1
        for variant in (VARIANTS["two rows"], Variant(copies=3)):
            with pytest.raises(PolicyError, match="was trained on Variant"):
                policy.act(Position(variant))
        with pytest.raises(ValueError, match="position 1 is of Variant"):
            policy.act_batch([Position(), Position(anywhere)])

    @pytest.mark.parametrize("settings", [{"temperature": 1.0}, {"search": 4}])
    def test_other_games_whose_observations_have_the_same_shape(self, settings):
        policy = ChampionPolicy(**settings)
        long, square = Board.from_text("########\n" * 2), Board.from_text("#####\n" * 5)
        for variant in (Variant(long, "anywhere"), Variant(copies=3), Variant(square, "anywhere")):
            start = Position(variant)
            for ask in (
                lambda start=start: policy.act(start),
                lambda start=start: policy.act_batch([start] * 3),
                lambda start=start: policy.action_probabilities([start]),
                lambda variant=variant: evaluate(policy, "random", games=2, variant=variant),
                lambda variant=variant: VectorEnv(2, variant, opponent=policy, seat="dark").reset(
                    seed=0
                ),
            ):
                with pytest.raises(PolicyError, match="was trained on Variant"):
                    ask()
        anywhere = Position(Variant(opening="anywhere"))
        assert anywhere.play(policy.act(anywhere)).ply == 1

    def test_sums_that_overflow_are_no_choice(self, tmp_path):
        wild = tmp_path / "wild.bin"
        wild.write_bytes(network_for(Variant(), scale=1e37).to_bytes())
        with pytest.raises(PolicyError, match=r"position 0: the logit of action \d+ is"):
            NetworkPolicy(Network.load(wild)).act(Position())

    def test_matches_and_vector_environments_take_it(self, file):
        report = evaluate("champion", "random", games=40, seed=1)
        again = evaluate(ChampionPolicy(), "random", games=40, seed=1)
        assert (report.as_light, report.as_dark) == (again.as_light, again.as_dark)
        assert report.score > 0.8
        env = VectorEnv(8, opponent=NetworkPolicy(Network.load(file)), seat="dark")
        _, info = env.reset(seed=1)
        for _ in range(20):
            assert (info["to_play"] == 1).all()
            _, _, _, _, info = env.step(env.sample_actions())
        twin = pickle.loads(pickle.dumps(env))
        assert twin.positions() == env.positions()

    def test_other_threads_run_during_a_batch(self):
        policy = ChampionPolicy()
        positions = random_openings(200, 4) * 50
        assert lets_other_threads_run(lambda: policy.act_batch(positions))


@needs_signals
def test_ctrl_c_stops_a_batch(tmp_path):
    """The batch would take longer than a test may."""
    wide = tmp_path / "wide.bin"
    wide.write_bytes(network_for(Variant(), channels=256, blocks=4, scale=0.01).to_bytes())
    code = (
        f"import mijnlieff; policy = mijnlieff.load_policy({str(wide)!r})\n"
        "positions = [mijnlieff.Position()] * 500_000\n"
        "print('ready', flush=True)\ntry: policy.act_batch(positions)\n"
        "except KeyboardInterrupt: print('stopped', policy.act_batch(positions[:2]).shape)"
    )
    assert last_words_when_interrupted(code, after=1) == "stopped (2,)\n"
