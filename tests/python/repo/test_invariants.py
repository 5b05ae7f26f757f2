"""What a seed gives and what files hold: the same in every version, on every machine.

Each hash stands for what users keep: games of a seed, figures in papers, files. A hash that changes
is a fault, unless the change was meant and stands in the changelog.
"""

from __future__ import annotations

import hashlib
from importlib.resources import files

import numpy as np
import pytest

import mijnlieff
from mijnlieff import Board, Position, SearchOptions, SelfPlay, TreeSearch, Variant, VectorEnv
from mijnlieff.policies import OpponentPool
from mixed_variants import VARIANTS, WEIGHTS
from network_inputs import network_for

STEPS = 60
GAMES = 6
SMALL = Variant(Board.from_text("###\n###"), "anywhere", 1)


class Digest:
    """A hash of arrays with their dtypes and shapes, and of anything else by its text."""

    def __init__(self):
        self._hash = hashlib.sha256()

    def add(self, *values):
        for value in values:
            if isinstance(value, np.ndarray):
                array = np.ascontiguousarray(value)
                array = array.astype(array.dtype.newbyteorder("<"))
                self._hash.update(f"{array.dtype.name}{array.shape}".encode())
                self._hash.update(array.tobytes())
            else:
                self._hash.update(repr(value).encode())

    def __str__(self):
        return self._hash.hexdigest()[:16]


def digest(*values):
    found = Digest()
    found.add(*values)
    return str(found)


def games_of(env):
    """The hash of what an environment tells of its games, whose actions are drawn."""
    found, rng = Digest(), np.random.default_rng(9)
    observation, info = env.reset(seed=70)
    for _ in range(STEPS):
        mask = info["action_mask"]
        found.add(observation, mask)
        actions = np.array([rng.choice(np.flatnonzero(row)) for row in mask])
        observation, *results, info = env.step(actions)
        found.add(*results)
    return str(found)


ENVIRONMENTS = {
    "self-play": {},
    "margins": {"reward": "margin", "autoreset": "next_step", "auto_pass": True},
    "uint8 planes": {"observation": "planes", "dtype": "uint8"},
    "packed": {"observation": "packed"},
    "random": {"opponent": "random"},
    "greedy": {"opponent": "greedy", "seat": "light"},
    "minimax": {"opponent": "minimax:2", "seat": "dark"},
    "random plies": {"random_plies": 5},
    "large board": {"variant": Variant(Board.from_text("########\n" * 7 + "########"), copies=9)},
    "mixed variants": {"variants": VARIANTS, "variant_weights": WEIGHTS},
    "mixed variants, random": {"variants": VARIANTS, "opponent": "random", "random_plies": 3},
}
GAMES_OF = {
    "self-play": "09af29a21c8429d4",
    "margins": "95714092d4cf9c3d",
    "uint8 planes": "0dee0f862acfabe5",
    "packed": "e8765121025bea70",
    "random": "38af4630a1fbeec2",
    "greedy": "816c4fada37d5555",
    "minimax": "8b96586194c49adf",
    "random plies": "069ec9013836d2a4",
    "large board": "d1b617f3701a8b45",
    "mixed variants": "176fdde3f63db823",
    "mixed variants, random": "23d06cbed336bb25",
}


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("name", ENVIRONMENTS)
def test_a_seed_of_vector_env_gives_the_same_games(name, threads):
    env = VectorEnv(GAMES, **{"num_threads": threads} | ENVIRONMENTS[name])
    assert games_of(env) == GAMES_OF[name]


def test_a_seed_of_an_opponent_pool_gives_the_same_games():
    pool = OpponentPool(["random", "greedy"], seed=3)
    pool.add(mijnlieff.MinimaxPolicy(2), weight=2)
    assert games_of(VectorEnv(GAMES, opponent=pool)) == "387d908953dfe8fb"


def test_a_seed_of_self_play_gives_the_same_samples():
    options = SearchOptions(
        8, max_considered=8, c_scale=0.2, solve_roots_below=9, solve_leaves_below=8
    )
    samples = SelfPlay(network_for(SMALL), options=options, seed=5, num_threads=1).play(4)
    found = digest(
        samples.observations,
        samples.action_masks,
        samples.policy_targets.argmax(axis=1),
        samples.margins,
        samples.exact,
        samples.to_play,
        samples.games,
        samples.game_margins,
    )
    assert found == "7f0c1cc9d14b1a44"


def test_a_tree_search_makes_the_same_visits():
    network = network_for(Variant())
    positions = [Position().play(action) for action in Position().legal_actions()[:4]]
    search = TreeSearch(positions, num_simulations=16, margin_weight=0.0, seed=2)
    while (batch := search.select()) is not None:
        logits, values = network.evaluate(batch.observation)
        search.update(logits, values[:, 0])
    assert digest(search.visit_counts) == "527f3726c80330c1"


def test_a_seed_of_a_match_gives_the_same_result():
    report = mijnlieff.evaluate("greedy", "random", games=40, seed=1)
    total = report.total
    assert (total.wins, total.draws, total.losses) == (22, 8, 10)


def test_a_grade_is_the_same():
    report = mijnlieff.grade("greedy", positions=30, seed=1, variant=SMALL)
    total = report.total
    assert (total.positions, total.optimal, total.decisive) == (28, 24 / 28, 10)


@pytest.mark.parametrize(
    ("variant", "expected"), [(Variant(), "1f1eaf998fbb85cd"), (SMALL, "f4efeaba5d5939d8")]
)
def test_networks_are_written_with_the_same_bytes(variant, expected):
    content = network_for(variant).to_bytes()
    assert hashlib.sha256(content).hexdigest()[:16] == expected


DATA = {
    "book.bin": "f6421f4b10bc8285",
    "champion.bin": "4d7c27f8fe9f6498",
    "irregular-v1.bin": "31f9f7df853d036d",
    "standard-v1.bin": "e94190a083946e48",
}


@pytest.mark.parametrize("name", DATA)
def test_the_files_of_the_package_keep_their_bytes(name):
    content = (files("mijnlieff") / "data" / name).read_bytes()
    assert hashlib.sha256(content).hexdigest()[:16] == DATA[name]
