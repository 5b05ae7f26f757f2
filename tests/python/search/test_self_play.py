"""The games of `SelfPlay`, move by move those of a `TreeSearch`."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from board_shapes import WIDE
from mijnlieff import (
    Board,
    Canvas,
    ChampionPolicy,
    Position,
    SearchOptions,
    SelfPlay,
    Variant,
    solve,
)
from network_inputs import canvas_network, network_for
from self_play_reference import (
    ARRAYS,
    ENDINGS,
    SMALL,
    assert_played,
    assert_same,
    played_alone,
)

SEARCH = {"num_simulations": 32, "max_considered": 8, "c_scale": 0.2, **ENDINGS}


@pytest.mark.parametrize(
    ("variant", "settings"),
    [
        (Variant(), {}),
        (
            Variant(),
            {
                "random_plies": 10,
                "seed": 2**64 - 1,
                "margin_weight": 0.0,
                "solve_leaves_below": 7,
            },
        ),
        (Variant(opening="corner"), {"temperature": 0.0, "num_simulations": 9}),
        (Variant(), {"solve_roots_below": 0, "solve_leaves_below": 0, "num_simulations": 16}),
        (
            Variant(),
            {"root": "puct", "c_puct": 2.0, "dirichlet_share": 0.25},
        ),
        (
            Variant(),
            {
                "random_plies": 10,
                "solve_roots_below": 10,
                "solve_book_roots": True,
                "solved_temperature": 2.5,
            },
        ),
        (Variant(), {"random_plies": 2, "solve_book_roots": True}),
        (
            Variant(opening="anywhere", copies=1),
            {"solve_roots_below": 7, "solve_book_roots": True, "solved_temperature": 0.5},
        ),
        (SMALL, {"solve_roots_below": 3, "solve_leaves_below": 2, "random_plies": 6}),
        (SMALL, {"solve_roots_below": 6, "random_plies": 0}),
        (WIDE, {"solve_roots_below": 0, "solve_leaves_below": 0, "num_simulations": 8}),
    ],
    ids=[
        "default",
        "wide openings",
        "greedy",
        "pure",
        "puct",
        "straying",
        "book",
        "no book",
        "small",
        "solved",
        "large board",
    ],
)
def test_games_are_those_of_searches_one_by_one(variant, settings):
    network = network_for(variant, scale=0.3)
    settings = SEARCH | settings
    games = SelfPlay(network, variant, num_games=7, num_threads=2, **settings)
    samples = games.play(12)
    assert_played(samples, [played_alone(network, variant, i, **settings) for i in range(12)])
    statistics = samples.statistics
    assert (statistics.games, statistics.plies) == (12, samples.game_plies.sum())
    assert statistics.solved_roots == samples.exact.sum()
    assert statistics.searched_roots == len(samples) - statistics.solved_roots
    assert statistics.simulations == settings["num_simulations"] * statistics.searched_roots
    np.testing.assert_array_equal(samples.outcomes, np.sign(samples.margins))


SET = [
    SMALL,
    Variant(Board.from_text("##.\n###\n.##"), "corner", 1),
    SMALL,
    Variant(Board.from_text("####\n####\n####"), copies=1),
]


def test_each_game_of_a_set_draws_its_variant():
    canvas = Canvas(3, 4)
    network = canvas_network(canvas, copies=1)
    settings: dict[str, Any] = {"num_simulations": 8, "solve_roots_below": 3, "seed": 4}
    settings["solve_leaves_below"] = 2
    games = SelfPlay(network, variants=SET, canvas=canvas, observation="planes", **settings)
    assert (games.variant, games.variants) == (None, tuple(SET))
    samples = games.play(14)
    alone = [played_alone(network, SET, number, **settings) for number in range(14)]
    assert_played(samples, alone, canvas, "planes")
    drawn = [row["position"].variant for game in alone for row in game["rows"]]
    assert [SET[number] for number in samples.variants] == drawn
    assert set(samples.variants.tolist()) == {0, 1, 2, 3}
    copied = pickle.loads(pickle.dumps(games))
    following = games.play(76)
    assert_same(copied.play(76), following)
    for num_threads, num_games in [(2, 5), (3, 100), (1, 1)]:
        settings |= {"num_threads": num_threads, "num_games": num_games}
        others = SelfPlay(network, variants=SET, canvas=canvas, observation="planes", **settings)
        assert_same(others.play(14), samples)
        assert_same(others.play(76), following)


def test_a_set_of_one_plays_the_games_of_its_variant():
    network = network_for(Variant())
    settings: dict[str, Any] = {"num_simulations": 12, "observation": "planes", "seed": 2}
    alone = SelfPlay(network, **settings)
    games = SelfPlay(network, variants=[Variant()], **settings)
    assert games.variant == Variant()
    assert_same(games.play(20), alone.play(20))


def test_roots_are_searched_where_only_leaves_are_solved():
    """All leaves are exact here, so a search that trusts its values plays as the solver does."""
    network = network_for(SMALL)
    settings = {"num_simulations": 64, "max_considered": 64, "c_scale": 1e6, "temperature": 0.0}
    games = SelfPlay(
        network,
        SMALL,
        solve_roots_below=0,
        solve_leaves_below=6,
        random_plies=0,
        num_threads=1,
        **settings,
    )
    samples = games.play(4)
    assert not samples.exact.any()
    assert samples.statistics.solved_leaves > 0
    # Only roots need the network, and all games are equal.
    assert samples.statistics.evaluations == len(samples) // 4
    assert set(samples.game_margins) == {solve(Position(SMALL)).margin}


@pytest.mark.parametrize(
    "settings",
    [
        {"seed": 3, "num_simulations": 8, **ENDINGS},
        {
            "seed": 8,
            "num_simulations": 4,
            "random_plies": 10,
            "solve_roots_below": 10,
            "solve_leaves_below": 8,
            "solve_book_roots": True,
            "solved_temperature": 3.0,
        },
    ],
    ids=["searched", "solved"],
)
def test_nothing_depends_on_threads_or_on_games_at_once(settings: dict[str, Any]):
    network = ChampionPolicy().model
    first = SelfPlay(network, num_threads=1, num_games=100, **settings).play(100)
    for num_threads, num_games in [(2, 100), (3, 7), (8, 1), (1, 1)]:
        others = SelfPlay(network, num_threads=num_threads, num_games=num_games, **settings)
        assert_same(first, others.play(100))
    # Nor on how calls are cut.
    games = SelfPlay(network, num_threads=1, **settings)
    parts = [games.play(1), games.play(60), games.play(39)]
    assert games.games_played == 100
    for name in ARRAYS:
        joined = np.concatenate([getattr(part, name) for part in parts])
        np.testing.assert_array_equal(joined, getattr(first, name), strict=True)
    assert sum(part.statistics.plies for part in parts) == first.statistics.plies


def test_games_that_are_solved_from_the_start_need_no_search():
    games = SelfPlay(
        ChampionPolicy(),
        num_simulations=1,
        random_plies=10,
        solve_roots_below=11,
        solve_book_roots=True,
        solved_temperature=3.0,
    )
    samples = games.play(60)
    assert samples.exact.all()
    assert samples.statistics.simulations == samples.statistics.evaluations == 0
    assert set(range(11)) <= set(samples.plies.tolist())
    # Mistakes are met: the margin of a game changes on the way.
    light = np.where(samples.to_play == 0, samples.margins, -samples.margins)
    changed = [len(set(light[samples.games == game])) > 1 for game in range(60)]
    assert 20 < sum(changed) < 60


@pytest.mark.parametrize(
    ("layout", "dtype"),
    [("flat", "float32"), ("planes", "uint8"), ("planes", np.float32), ("packed", "uint8")],
)
def test_observations_in_any_layout(layout, dtype):
    network = ChampionPolicy().model
    options = SearchOptions(2, **ENDINGS)
    games = SelfPlay(network, options=options, observation=layout, dtype=dtype, seed=5)
    samples = games.play(3)
    settings: dict[str, Any] = {"num_simulations": 2, "seed": 5, **ENDINGS}
    alone = [played_alone(network, Variant(), number, **settings) for number in range(3)]
    assert_played(samples, alone, layout=layout, dtype=dtype)
    assert samples.observations.dtype == (np.uint64 if layout == "packed" else np.dtype(dtype))
