"""Draws of opponents: the same seed plays the same games, whatever was played before."""

from __future__ import annotations

import numpy as np
import pytest

from mijnlieff import ChampionPolicy, MijnlieffEnv, NetworkPolicy, Position, VectorEnv, load_policy
from mijnlieff.policies import GamePolicy, OpponentPool
from mijnlieff.policies.streams import decision_seeds, gumbel_noise

SEED = 7


def equal_logits(observations, masks):
    return np.zeros(masks.shape)


OPPONENTS = {
    "random games": lambda: load_policy("rollouts:8"),
    "a search that solves": lambda: load_policy("champion:4"),
    "a function with a temperature": lambda: NetworkPolicy(equal_logits, temperature=1.0),
    "a network with a temperature": lambda: ChampionPolicy(temperature=1.0),
    "a pool": lambda: OpponentPool(["random", load_policy("rollouts:4")]),
}


def games_of(env: VectorEnv, seed: int | None, games: int) -> list[bytes]:
    """What the first games of a batch look like in twelve steps with the first legal actions."""
    observations, info = env.reset(seed=seed)
    seen = [observations[:games].copy()]
    for _ in range(12):
        observations, *_, info = env.step(info["action_mask"].argmax(axis=1))
        seen.append(observations[:games].copy())
    return [game.tobytes() for game in np.stack(seen, axis=1)]


@pytest.mark.parametrize("kind", OPPONENTS)
def test_games_of_a_seed_do_not_depend_on_others(kind):
    opponent = OPPONENTS[kind]()
    two = VectorEnv(2, opponent=opponent)
    games = games_of(two, SEED, 2)
    assert games_of(two, SEED, 2) == games, "after other games"
    assert games_of(VectorEnv(5, opponent=opponent), SEED, 2) == games, "in a larger batch"
    assert games_of(VectorEnv(1, opponent=OPPONENTS[kind]()), SEED + 1, 1) == games[1:], "alone"
    assert len(set(games_of(VectorEnv(8, opponent=opponent), SEED, 8))) > 4
    others = games_of(two, None, 2)
    assert others != games, "the next games are other ones"


@pytest.mark.parametrize("kind", OPPONENTS)
def test_single_environments_repeat_themselves(kind):
    env = MijnlieffEnv(opponent=OPPONENTS[kind](), seat="dark")
    first, again, other = (env.reset(seed=seed)[0].tolist() for seed in (3, 3, 4))
    batch = VectorEnv(2, opponent=OPPONENTS[kind](), seat="dark")
    assert first == again == batch.reset(seed=3)[0][0].tolist()
    assert other == batch.reset(seed=3)[0][1].tolist()


@pytest.mark.parametrize("kind", OPPONENTS)
def test_decisions_in_games_are_not_counted(kind):
    policy, fresh = OPPONENTS[kind](), OPPONENTS[kind]()
    assert isinstance(policy, GamePolicy)
    positions = [Position()] * 6
    games = np.arange(6, dtype=np.uint64)
    chosen = policy.act_games(positions, games)
    np.testing.assert_array_equal(policy.act_games(positions[:3], games[:3]), chosen[:3])
    if not isinstance(policy, OpponentPool):  # which draws members by the call
        np.testing.assert_array_equal(policy.act_batch(positions), fresh.act_batch(positions))
    assert policy.act_games([], games[:0]).shape == (0,)


def test_seeds_differ_between_policies_games_and_plies():
    later = Position().play(0)
    games = np.array([1, 2], np.uint64)
    seeds = [
        number
        for seed in (0, 1)
        for position in (Position(), later, later.play(int(later.legal_actions()[0])))
        for number in decision_seeds(seed, [position] * 2, games).tolist()
    ]
    assert len(set(seeds)) == 12


def test_noise_draws_from_a_softmax():
    logits = np.log([0.5, 0.25, 0.125, 0.125])
    rows = 40_000
    noise = gumbel_noise(np.arange(rows, dtype=np.uint64), 4)
    assert np.isfinite(noise).all()
    counts = np.bincount((logits + noise).argmax(axis=1), minlength=4)
    expected = rows * np.exp(logits)
    # The 0.9999 quantile of chi-squared with 3 degrees of freedom is 21.1.
    assert ((counts - expected) ** 2 / expected).sum() < 21.1
    # Draws of neighboring seeds, and of one seed, are independent.
    assert abs(np.corrcoef(noise[:-1, 0], noise[1:, 0])[0, 1]) < 0.02
    assert abs(np.corrcoef(noise[:, 0], noise[:, 1])[0, 1]) < 0.02
