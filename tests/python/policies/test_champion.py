"""The champion, and play by native networks: what they choose, and what they refuse."""

import pickle
from importlib.resources import files
from itertools import pairwise

import numpy as np
import pytest

import mijnlieff
from board_shapes import GAPS
from interrupts import last_words_when_interrupted, needs_signals
from mijnlieff import (
    Board,
    ChampionPolicy,
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
from mijnlieff.encoding import mask_batch, observe_batch
from mijnlieff.evaluation import random_openings
from network_inputs import VARIANTS, network_for
from played import playable


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "other.bin"
    path.write_bytes(network_for(Variant(), seed=5).to_bytes())
    return path


def test_the_champion_is_small_and_of_the_standard_game():
    content = (files("mijnlieff") / "data" / "champion.bin").read_bytes()
    assert len(content) < 400_000
    assert ChampionPolicy().model.variant == Variant()
    assert ChampionPolicy().model == Network(content)


class TestPolicy:
    @pytest.mark.parametrize(
        "network",
        [network_for(variant, seed=5) for variant in (GAPS, *VARIANTS.values())],
        ids=["gaps", *VARIANTS],
    )
    def test_it_plays_the_largest_legal_logit(self, network):
        policy = NetworkPolicy(network)
        assert isinstance(policy, Policy)
        positions = playable(network.variant, 40)
        actions = policy.act_batch(positions)
        assert actions.dtype == np.int64 and actions.shape == (len(positions),)
        assert mask_batch(positions)[np.arange(len(positions)), actions].all()
        plain = NetworkPolicy(lambda observations, _: network.evaluate(observations))
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

    def test_the_champion_is_a_policy_by_its_network(self):
        champion = ChampionPolicy(search=4)
        assert isinstance(champion, NetworkPolicy)
        options = SearchOptions(4, margin_weight=0.75, solve_roots_below=9, solve_leaves_below=9)
        assert champion == NetworkPolicy(champion.model, search=options)
        assert ChampionPolicy(search=options) == champion != ChampionPolicy(search=SearchOptions(4))

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

    def test_a_search_on_another_board(self):
        network = network_for(GAPS)
        positions = [position for position in playable(GAPS, 5) if position.ply < 9]
        search = NetworkPolicy(network, search=16)
        actions = search.act_batch(positions)
        masks = np.stack([position.action_mask() for position in positions])
        assert masks[np.arange(len(positions)), actions].all()
        again = NetworkPolicy(network, search=16)
        assert again.act_batch(positions).tolist() == actions.tolist()
        assert actions.tolist() != NetworkPolicy(network).act_batch(positions).tolist()

    def test_positions_of_one_list_are_of_one_variant(self):
        with pytest.raises(ValueError, match="position 1 is of Variant"):
            ChampionPolicy().act_batch([Position(), Position(Variant(opening="anywhere"))])

    @pytest.mark.parametrize("settings", [{}, {"temperature": 1.0}, {"search": 4}])
    def test_other_games_are_refused(self, settings):
        policy = ChampionPolicy(**settings)
        # Observations have the same shape on a board of as many cells, and with more copies.
        long, square = Board.from_text("########\n" * 2), Board.from_text("#####\n" * 5)
        same = Variant(long, "anywhere"), Variant(copies=3), Variant(square, "anywhere")
        for variant in (*same, VARIANTS["two rows"], GAPS):
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
        weights = network_for(Variant()).weights
        weights[-51:] = 3e38  # of the pass, which only some positions need, and of the values
        policy = NetworkPolicy(Network.of_cells(Variant(), 16, 2, 4, weights))
        positions = playable(Variant(), 20)
        number = [list(it.legal_actions()) == [64] for it in positions].index(True)
        assert number > 0 and len(policy.act_batch(positions[:number])) == number
        with pytest.raises(PolicyError, match=rf"position {number}: the logit of action 64 is inf"):
            policy.act_batch(positions)

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

    def test_a_network_refuses_other_boards(self):
        with pytest.raises(PolicyError, match="was trained on Variant"):
            NetworkPolicy(network_for(GAPS)).act(Position())


@needs_signals
def test_ctrl_c_stops_a_batch(tmp_path):
    """The batch would take longer than a test may."""
    wide = tmp_path / "wide.bin"
    wide.write_bytes(network_for(Variant(), units=256, blocks=4, scale=0.01).to_bytes())
    code = (
        f"import mijnlieff; policy = mijnlieff.load_policy({str(wide)!r})\n"
        "positions = [mijnlieff.Position()] * 500_000\n"
        "print('ready', flush=True)\ntry: policy.act_batch(positions)\n"
        "except KeyboardInterrupt: print('stopped', policy.act_batch(positions[:2]).shape)"
    )
    assert last_words_when_interrupted(code, after=1) == "stopped (2,)\n"
