"""The distributions of the noise at the roots of tree searches, and their seeds.

`test_tree_search_results.py` compares what a search makes of the numbers in its `root_noise`. Here
these numbers have to follow the right distributions. The seeds are fixed, so a test that passes
once always does.
"""

from __future__ import annotations

import numpy as np
import pytest

from mijnlieff import Position, TreeSearch, Variant
from mijnlieff.policies.searches import search_with
from played import playable
from search_inputs import NoisyNetwork, positions_of
from search_reference import must_pass

TREES = 2000
START = Position()
LEGAL = START.legal_actions()


def noise_at(positions, network=None, num_simulations=1, **options):
    """The noise of all trees, float64 `(B, num_actions)`."""
    variant = positions[0].variant
    search = TreeSearch(positions, num_simulations, **options)
    search_with(network or NoisyNetwork(variant), search)
    return search.root_noise.astype(np.float64)


def gumbel_noise(positions=(START,) * TREES, **options):
    return noise_at(positions, root="gumbel", **options)


def dirichlet_noise(positions=(START,) * TREES, share=1.0, alpha=0.5, **options):
    return noise_at(positions, root="puct", dirichlet_share=share, dirichlet_alpha=alpha, **options)


def assert_distributed(draws, distribution):
    """The test of Kolmogorov and Smirnov, at a level of one in ten thousand."""
    draws = np.sort(draws)
    shares = distribution(draws)
    steps = np.arange(len(draws) + 1) / len(draws)
    distance = max(np.abs(shares - steps[1:]).max(), np.abs(shares - steps[:-1]).max())
    assert distance < 2.23 / len(draws) ** 0.5


def assert_uncorrelated(one, other):
    correlation = np.corrcoef(one.ravel(), other.ravel())[0, 1]
    assert abs(correlation) < 4.5 / one.size**0.5


@pytest.fixture(scope="module")
def standard():
    """Noise of the standard Gumbel distribution, of actions that are legal."""
    return gumbel_noise()[:, LEGAL]


def test_gumbel_noise_follows_its_distribution(standard):
    assert_distributed(standard.ravel(), lambda draws: np.exp(-np.exp(-draws)))
    assert standard.mean() == pytest.approx(np.euler_gamma, abs=0.02)
    assert standard.std() == pytest.approx(np.pi / 6**0.5, abs=0.02)


def test_gumbel_noise_of_actions_and_trees_is_independent(standard):
    assert len(np.unique(standard)) > 0.99 * standard.size  # some agree in single precision
    assert_uncorrelated(standard[:, 1:], standard[:, :-1])
    assert_uncorrelated(standard[1:], standard[:-1])


def test_the_temperature_scales_gumbel_noise(standard):
    hot = gumbel_noise(temperature=2.5)[:, LEGAL]
    np.testing.assert_allclose(hot, 2.5 * standard, rtol=1e-6)
    assert not gumbel_noise(temperature=0.0).any()


@pytest.mark.parametrize("noise", [gumbel_noise, dirichlet_noise])
def test_noise_depends_on_the_seed_and_the_number_of_the_tree_alone(noise):
    one = noise(seed=40)
    assert np.array_equal(one[5:], noise(positions=[START] * (TREES - 5), seed=45))
    assert np.array_equal(one, noise(seed=40, num_simulations=5, num_threads=3))
    other = noise(seed=40 + TREES)
    assert_uncorrelated(one[:, LEGAL], other[:, LEGAL])


@pytest.mark.parametrize("root", ["gumbel", "puct"])
def test_the_next_search_draws_other_noise(root):
    search = TreeSearch([START] * TREES, 1, root=root, dirichlet_share=1.0)
    network = NoisyNetwork(Variant())
    search_with(network, search)
    first = search.root_noise[:, LEGAL].copy()
    search.restart([START] * TREES)
    search_with(network, search)
    assert_uncorrelated(first, search.root_noise[:, LEGAL])


def test_only_legal_actions_get_noise():
    positions = positions_of(Variant(), 100)
    legal = np.stack([position.action_mask() for position in positions]).astype(bool)
    for noise in (gumbel_noise(positions), dirichlet_noise(positions)):
        assert (noise[~legal] == 0).all()
        assert (noise[legal] != 0).mean() > 0.99


@pytest.mark.parametrize("share", [0.25, 1.0])
def test_dirichlet_noise_leaves_impossible_actions_out(share):
    positions = positions_of(Variant(), 100, seed=5)
    network = NoisyNetwork(Variant(), impossible=0.5)
    noise = dirichlet_noise(positions, network=network, share=share)
    for position, found in zip(positions, noise, strict=True):
        legal = position.legal_actions()
        possible = network.of(position)[0][legal] > -np.inf
        if not must_pass(position):  # which no network evaluates
            assert (found[legal][~possible] == 0).all()
        np.testing.assert_allclose(found[legal].sum(), 1.0, atol=1e-5)


def beta(alpha):
    """The distribution of one of two shares of a symmetric Dirichlet distribution."""
    return {
        0.5: lambda x: 2 / np.pi * np.arcsin(np.sqrt(x)),
        1.0: lambda x: x,
        2.0: lambda x: 3 * x**2 - 2 * x**3,
        3.0: lambda x: 10 * x**3 - 15 * x**4 + 6 * x**5,
    }[alpha]


@pytest.mark.parametrize("alpha", [0.5, 1.0, 2.0, 3.0])
def test_dirichlet_noise_of_two_actions_follows_its_distribution(alpha):
    two = next(p for p in playable(Variant(), 200) if len(p.legal_actions()) == 2)
    noise = dirichlet_noise([two] * 20_000, alpha=alpha)[:, two.legal_actions()]
    assert_distributed(noise[:, 0], beta(alpha))
    np.testing.assert_allclose(noise.sum(axis=1), 1.0, atol=1e-6)


@pytest.mark.parametrize("alpha", [0.05, 0.5, 5.0])
def test_dirichlet_noise_of_many_actions_has_its_moments(alpha):
    noise = dirichlet_noise(alpha=alpha)[:, LEGAL]
    count = len(LEGAL)
    assert (noise >= 0).all()
    np.testing.assert_allclose(noise.sum(axis=1), 1.0, atol=1e-5)
    variance = (count - 1) / count**2 / (count * alpha + 1)
    assert noise.var() == pytest.approx(variance, rel=0.06)  # five deviations at least
    np.testing.assert_allclose(noise.mean(axis=0), 1 / count, atol=5 * (variance / TREES) ** 0.5)
    # Shares that sum to 1 repel each other, all alike.
    assert np.corrcoef(noise.T)[~np.eye(count, dtype=bool)].mean() == pytest.approx(
        -1 / (count - 1), rel=0.05
    )


@pytest.mark.parametrize("share", [0.0, 0.25, 0.75])
def test_the_share_mixes_noise_into_the_policy(share):
    positions = positions_of(Variant(), 200, seed=3)
    network = NoisyNetwork(Variant())
    drawn = dirichlet_noise(positions, network=network)
    mixed = dirichlet_noise(positions, share=share, network=network)
    for position, pure, found in zip(positions, drawn, mixed, strict=True):
        logits, _ = network.of(position)
        legal = position.legal_actions()
        policy = np.exp(logits[legal].astype(np.float64))
        policy /= policy.sum()
        expected = (1 - share) * policy + share * pure[legal]
        np.testing.assert_allclose(found[legal], expected, atol=1e-6)
