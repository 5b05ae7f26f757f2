"""Learning: advantages, symmetries, masks, the network, self-play and short runs."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from mijnlieff import Board, Network, NetworkPolicy, Position, Variant, VectorEnv, evaluate
from mijnlieff._mijnlieff import MARGIN_UNIT
from mijnlieff.encoding import observe_batch
from mijnlieff.train.boards import Boards
from mijnlieff.train.config import Budget
from mijnlieff.train.network import CellNetwork, masked_log_softmax
from mijnlieff.train.network.symmetry import SymmetryGroup
from mijnlieff.train.ppo.advantage import signed_advantages
from mijnlieff.train.ppo.rollouts import RolloutCollector
from mijnlieff.train.process import torch_threads
from mijnlieff.train.run.trainer import Trainer
from network_inputs import EACH_VARIANT, VARIANTS
from random_networks import random_network
from search_reference import exact_margin
from tiny_runs import STANDARD, TINY, tiny


@pytest.fixture(autouse=True)
def one_thread():
    """With batches this small, more threads are slower."""
    with torch_threads(1):
        yield


def column(*values: float) -> torch.Tensor:
    """One game, one kind of value: `(T, 1, 1)`."""
    return torch.tensor(values).reshape(-1, 1, 1)


def line(*values: object) -> torch.Tensor:
    """One game: `(T, 1)`."""
    return torch.tensor(values).reshape(-1, 1)


def network_for(variant: Variant) -> CellNetwork:
    return random_network(variant, 32, 1, 4)


class TestAdvantages:
    def test_by_hand(self):
        # Light, Dark, Light; Light's last action wins. Values are the mover's.
        got = signed_advantages(
            rewards=column(0.0, 0.0, 1.0),
            values=column(0.5, -0.25, 0.75, 9.0),
            to_play=line(0, 1, 0, 0),
            terminated=line(False, False, True),
            chosen=line(True, True, True),
            gamma=0.9,
            gae_lambda=0.5,
        )
        # deltas: 1 - 0.75 = 0.25; -0.9 * 0.75 + 0.25 = -0.425; -0.9 * -0.25 - 0.5 = -0.275
        last = 0.25
        middle = -0.425 - 0.45 * last
        first = -0.275 - 0.45 * middle
        torch.testing.assert_close(got, column(first, middle, last))

    def test_the_same_player_twice_counts_for_himself(self):
        got = signed_advantages(
            rewards=column(0.0, 1.0),
            values=column(0.5, 0.75, 9.0),
            to_play=line(1, 1, 0),
            terminated=line(False, True),
            chosen=line(True, True),
            gamma=1.0,
            gae_lambda=0.5,
        )
        torch.testing.assert_close(got, column(0.25 + 0.5 * 0.25, 0.25))

    def test_exchanging_the_seats_changes_nothing(self):
        generator = torch.Generator().manual_seed(1)
        rewards, values = (torch.randn(t, 8, 2, generator=generator) for t in (12, 13))
        to_play = torch.randint(2, (13, 8), generator=generator)
        ends = torch.rand(12, 8, generator=generator) < 0.2
        chosen = torch.rand(12, 8, generator=generator) < 0.8
        one, other = (
            signed_advantages(rewards, values, seats, ends, chosen, 0.9, 0.8)
            for seats in (to_play, 1 - to_play)
        )
        torch.testing.assert_close(one, other, rtol=0, atol=0)

    def test_what_the_learner_did_not_choose_is_skipped(self):
        def first(value: float, chosen: bool) -> float:
            advantages = signed_advantages(
                rewards=column(0.0, -1.0),
                values=column(0.0, value, 9.0),
                to_play=line(0, 1, 0),
                terminated=line(False, True),
                chosen=line(True, chosen),
                gamma=1.0,
                gae_lambda=0.5,
            )
            return float(advantages[0])

        assert first(0.3, chosen=True) != first(-0.8, chosen=True)
        assert first(0.3, chosen=False) == pytest.approx(first(-0.8, chosen=False)) == 1.0

    def test_full_traces_give_the_result_of_the_game(self):
        """The values cancel out: winners get +1 on all their plies, losers -1."""
        config = tiny("ppo", num_envs=1, gae_lambda=1.0, random_plies=0, random_opponents=0.0)
        results = set()
        for seed in range(12):
            self_play = RolloutCollector(Variant(), config, torch.Generator().manual_seed(seed))
            experience = self_play.play_round(Network.from_torch(network_for(Variant())))
            self_play.close()
            assert experience.games == 1
            outcome, margin = experience.targets.T
            # There are never two passes in a row here, so the players alternate.
            signs = torch.ones(len(outcome))
            signs[1::2] = -1
            torch.testing.assert_close(outcome, outcome[0] * signs, atol=1e-5, rtol=0)
            torch.testing.assert_close(margin, margin[0] * signs, atol=1e-5, rtol=0)
            last = Position.from_actions(experience.actions.tolist())
            assert last.is_over
            assert float(margin[0]) * MARGIN_UNIT == pytest.approx(last.margin, abs=1e-4)
            assert float(outcome[0]) == pytest.approx(np.sign(last.margin), abs=1e-5)
            results.add(np.sign(last.margin))
        assert results >= {1, -1}


class TestSymmetry:
    @EACH_VARIANT
    def test_a_turned_game_is_the_same_game(self, variant):
        group = SymmetryGroup.of(variant)
        rng = np.random.default_rng(0)
        for images in variant.action_symmetries:
            game = turned = Position(variant)
            while not game.is_over:
                pairs = zip(group.features, group.actions, strict=True)
                matching = [
                    np.array_equal(turned.observation("flat"), game.observation("flat")[features])
                    and np.array_equal(turned.action_mask(), game.action_mask()[actions])
                    and np.array_equal(images[actions], np.arange(variant.num_actions))
                    for features, actions in pairs
                ]
                assert matching.count(True) == 1
                action = int(rng.choice(game.legal_actions()))
                game, turned = game.play(action), turned.play(int(images[action]))
            assert turned.score == game.score

    def test_the_square_has_eight(self):
        orders = [SymmetryGroup.of(variant).order for variant in VARIANTS.values()]
        assert orders == [8, 4, 2, 4, 4, 1, 1]


class TestMask:
    def test_illegal_actions_have_no_probability_and_no_gradient(self):
        logits = torch.randn(4, 6, generator=torch.Generator().manual_seed(0), requires_grad=True)
        mask = torch.tensor([[1, 0, 1, 1, 0, 0], [0, 0, 0, 0, 0, 1], [1] * 6, [0, 1] * 3]).bool()
        log_probs = masked_log_softmax(logits, mask)
        probabilities = log_probs.exp()
        assert (probabilities[~mask] == 0).all()
        torch.testing.assert_close(probabilities.sum(dim=1), torch.ones(4))
        entropy = -(probabilities * log_probs).sum(dim=1)
        assert entropy[1] == 0
        assert (entropy[[0, 2, 3]] > 0).all()
        assert torch.isfinite(entropy).all()
        (entropy.sum() + log_probs[mask].sum()).backward()
        assert (logits.grad[~mask] == 0).all()

    @EACH_VARIANT
    def test_self_play_keeps_to_the_rules(self, variant):
        """The environment raises on an illegal action, so a finished round was legal."""
        self_play = RolloutCollector(variant, tiny("ppo"), torch.Generator().manual_seed(0))
        experience = self_play.play_round(Network.from_torch(network_for(variant)))
        self_play.close()
        assert experience.masks.gather(1, experience.actions[:, None]).all()
        assert experience.games >= TINY["num_envs"]
        assert experience.steps >= len(experience.actions)
        assert (experience.log_probs <= 0).all()

    def test_random_players_are_not_learned_from(self):
        sizes = {}
        for share in (0.0, 1.0):
            config = tiny("ppo", num_envs=256, random_plies=0, random_opponents=share)
            self_play = RolloutCollector(Variant(), config, torch.Generator().manual_seed(0))
            experience = self_play.play_round(Network.from_torch(network_for(Variant())))
            self_play.close()
            sizes[share] = len(experience.actions) / experience.steps
        assert sizes[0.0] == 1.0
        assert sizes[1.0] == pytest.approx(0.5, abs=0.03)


@EACH_VARIANT
def test_compact_observations_become_the_usual_ones(variant):
    environments = [
        VectorEnv(64, variant, observation="flat", dtype=dtype) for dtype in ("uint8", "float32")
    ]
    network = CellNetwork(variant, 8, 0, 1)
    compact, usual = (environment.reset(seed=3)[0] for environment in environments)
    for _ in range(10):
        assert compact.dtype == np.uint8
        torch.testing.assert_close(
            network.from_counts(torch.from_numpy(compact)), torch.from_numpy(usual), rtol=0, atol=0
        )
        actions = environments[0].sample_actions()
        compact, usual = (environment.step(actions)[0] for environment in environments)
    for environment in environments:
        environment.close()


def test_values_get_the_right_sign_on_a_solved_board():
    """On three cells in a row with one piece of each type, Light wins."""
    variant = Variant(Board.from_text("###"), "anywhere", 1)
    trainer = Trainer(
        tiny(
            "ppo",
            num_envs=128,
            width=32,
            random_opponents=0.0,
            random_plies=2,
            minibatch_size=256,
        ),
        Budget(steps=60_000),
        Boards((variant,)),
    )
    while trainer.spent < 1:
        trainer.train_round()
    trainer.close()
    position = Position(variant)
    assert exact_margin(position) == 1
    signs = set()
    while not position.is_over:
        exact = exact_margin(position)
        with torch.no_grad():
            logits, values = trainer.network(torch.from_numpy(observe_batch([position])))
        if exact:
            assert values[0].sign().tolist() == [np.sign(exact)] * 2, position
            assert abs(float(values[0, 0])) > 0.5, position
            signs.add(np.sign(exact))
        mask = torch.from_numpy(position.action_mask()).bool()
        position = position.play(int(masked_log_softmax(logits, mask[None]).argmax()))
    assert position.winner == 0
    assert signs == {1, -1}


def test_a_short_run_beats_the_random_player():
    trainer = Trainer(
        tiny("ppo", num_envs=256, width=64, minibatch_size=1024),
        Budget(steps=80_000),
        STANDARD,
    )
    before = evaluate(NetworkPolicy(trainer.network), "random", 400, seed=1)
    while trainer.spent < 1:
        trainer.train_round()
    after = evaluate(NetworkPolicy(trainer.network), "random", 400, seed=1)
    trainer.close()
    assert after.score_interval[0] > max(before.score, 0.8)
    # Neither seat may be learned at the expense of the other.
    assert min(after.as_light.score, after.as_dark.score) > 0.8
