"""The calls of `SelfPlay`: how many games, by which network, in which thread; and misuse."""

from __future__ import annotations

import copy
import math
import pickle
import threading

import numpy as np
import pytest

from board_shapes import WIDE
from mijnlieff import (
    Canvas,
    ChampionPolicy,
    NetworkPolicy,
    PolicyError,
    SearchOptions,
    SelfPlay,
    Variant,
    VariantError,
)
from network_inputs import canvas_network, network_for
from self_play_reference import ENDINGS, SMALL, assert_same


def test_another_network_plays_the_next_games():
    first, second = (network_for(Variant(), seed=seed) for seed in (0, 1))
    games = SelfPlay(first, num_simulations=4)
    games.play(5)
    games.set_network(second)
    assert games.network == second
    samples = games.play(5)
    expected = SelfPlay(second, num_simulations=4)
    expected.play(5)
    assert_same(samples, expected.play(5))
    with pytest.raises(TypeError, match="network must be a Network or a policy with one, not 7"):
        games.set_network(7)
    with pytest.raises(PolicyError, match="cannot play"):
        games.set_network(network_for(SMALL))
    assert games.network == second


def test_as_many_samples_as_asked_for():
    options = SearchOptions(2, **ENDINGS)
    games = SelfPlay(ChampionPolicy(), options=options, num_threads=2)
    for wanted in (1, 500, 501):
        before = games.games_played
        samples = games.play_samples(wanted)
        assert wanted <= len(samples) < wanted + 100
        assert games.games_played == before + samples.statistics.games
        assert samples.games[0] == before
    alone = SelfPlay(ChampionPolicy(), options=options, num_threads=1, num_games=3)
    alone.play_samples(1)
    alone.play_samples(500)
    assert_same(samples, alone.play_samples(501))


def test_samples_find_the_row_of_their_game_after_other_calls():
    games = SelfPlay(network_for(SMALL), SMALL, num_simulations=1, random_plies=8, seed=7)
    whole = copy.deepcopy(games).play(11)
    games.play(3)
    samples = games.play(8)
    rows = samples.games - samples.first_game
    # All decisions of the first game of the call were random, so it has no sample.
    assert (samples.first_game, rows.min(), len(samples.game_plies)) == (3, 1, 8)
    for name in ("game_margins", "game_plies"):
        expected = getattr(whole, name)[samples.games]
        np.testing.assert_array_equal(getattr(samples, name)[rows], expected)


@pytest.mark.parametrize("clone", [copy.deepcopy, lambda it: pickle.loads(pickle.dumps(it))])
def test_copies_go_on_in_the_same_way(clone):
    games = SelfPlay(ChampionPolicy(), num_simulations=2, seed=9, **ENDINGS)
    games.play_samples(30)
    other = clone(games)
    assert repr(other) == repr(games)
    assert other.games_played == games.games_played > 0
    samples = games.play_samples(50)
    assert_same(samples, other.play_samples(50))
    assert_same(samples, pickle.loads(pickle.dumps(samples)))


BAD = [
    ({"num_games": 0}, ValueError, "num_games must be 1 to 16777216, not 0"),
    ({"random_plies": -1}, ValueError, "random_plies must be 0 to 1000, not -1"),
    ({"solved_temperature": -1.0}, ValueError, "solved_temperature must be .* from 0, not -1.0"),
    ({"solved_temperature": math.nan}, ValueError, "solved_temperature must be .*, not NaN"),
    ({"solve_book_roots": 1}, TypeError, "solve_book_roots"),
    ({"num_threads": 0}, ValueError, "num_threads must be 1 to 1024, not 0"),
    ({"seed": -1}, ValueError, r"seed must be 0 to 2\*\*64 - 1, not -1"),
    ({"observation": "flags"}, ValueError, 'unknown observation layout "flags"'),
    ({"dtype": "int64"}, TypeError, "observations have dtype float32 or uint8, not int64"),
    ({"dtype": "f8"}, TypeError, "observations have dtype float32 or uint8, not float64"),
    ({"dtype": None}, TypeError, "observations have dtype float32 or uint8, not None"),
]


@pytest.mark.parametrize(("settings", "error", "words"), BAD)
def test_bad_settings(settings, error, words):
    with pytest.raises(error, match=words):
        SelfPlay(ChampionPolicy(), **settings)


def test_misuse():
    with pytest.raises(TypeError, match="must be a Network or a policy with one, not 'greedy'"):
        SelfPlay("greedy")
    with pytest.raises(PolicyError, match=r"was trained on .* and cannot play"):
        SelfPlay(ChampionPolicy(), SMALL)
    with pytest.raises(VariantError, match="packed observations need at most"):
        SelfPlay(network_for(WIDE), observation="packed")
    with pytest.raises(ValueError, match=r"give variant=.* or variants, not both"):
        SelfPlay(ChampionPolicy(), Variant(), variants=[Variant()])
    with pytest.raises(ValueError, match='observations on a canvas are "planes", not "flat"'):
        SelfPlay(ChampionPolicy(), variants=[Variant()])
    with pytest.raises(PolicyError, match=r"was trained on .* and cannot play"):
        SelfPlay(ChampionPolicy(), variants=[Variant(), SMALL], observation="planes")
    small = canvas_network(Canvas(2, 3), copies=1)
    with pytest.raises(ValueError, match="plays all boards that fit its canvas: give variant"):
        SelfPlay(small)
    assert SelfPlay(small, SMALL).variants == (SMALL,)
    with pytest.raises(PolicyError, match="on boards that fit 2 x 3 cells, with 1 copies and cann"):
        SelfPlay(small, Variant(copies=1))
    with pytest.raises(VariantError, match="does not fit a canvas of 2 rows and 2 columns"):
        SelfPlay(small, variants=[SMALL], canvas=Canvas(2, 2), observation="planes")
    games = SelfPlay(ChampionPolicy(), num_simulations=1)
    for count in (0, -3, 2**64):
        with pytest.raises(ValueError, match=f"games must be 1 to .*, not {count}"):
            games.play(count)
        with pytest.raises(ValueError, match=f"samples must be 1 to .*, not {count}"):
            games.play_samples(count)
    with pytest.raises(TypeError, match=r"games must be an integer, not 2\.0"):
        games.play(2.0)
    assert games.games_played == 0


@pytest.mark.parametrize(
    "progress",
    [(2**64 - 1, 2**64 - 1), (2**64 - 1, 0), (0, 2**64 - 16), (2**62 + 1, 0), (3, 400)],
)
def test_a_progress_that_no_games_have_is_refused(progress):
    games = SelfPlay(network_for(SMALL), SMALL, num_simulations=2)
    state = games.__getstate__() | {"progress": progress}
    with pytest.raises(
        ValueError, match=f"no self-play has {progress[0]} games with {progress[1]} "
    ):
        games.__setstate__(state)


def test_games_go_on_after_the_largest_progress():
    games = SelfPlay(network_for(SMALL), SMALL, num_simulations=2)
    games.__setstate__(games.__getstate__() | {"progress": (2**62, 2**62)})
    assert games.play(2).games.max() == 2**62 + 1
    samples = games.play_samples(3)
    assert len(samples) >= 3 and samples.games.min() == 2**62 + 2


def test_a_network_whose_sums_overflow():
    games = SelfPlay(network_for(Variant(), scale=1e30), num_simulations=2)
    for _ in range(2):
        with pytest.raises(PolicyError, match="cannot be used: leaf 0: the value is NaN"):
            games.play(3)
        assert games._games.progress == (0, 0)
    games.set_network(ChampionPolicy())
    assert games.play(2).games.min() == 0


def test_the_progress_can_be_read_while_another_thread_plays():
    games = SelfPlay(ChampionPolicy(), num_simulations=64)
    games.play(2)
    progress, raised = games._games.progress, []

    def play() -> None:
        with pytest.raises(RuntimeError) as caught:
            games.play(10**6)
        raised.append(caught.value)

    thread = threading.Thread(target=play)
    thread.start()
    # `resume` ends before it lets the other thread run, so only this one is ever refused.
    with pytest.raises(RuntimeError, match="another thread plays these games"):
        while thread.is_alive():
            games._games.resume(*progress)
    assert games.games_played == 2
    assert repr(games).endswith(", 2 games played>")
    assert pickle.loads(pickle.dumps(games)).games_played == 2
    games.stop()
    thread.join(timeout=30)
    assert not thread.is_alive()
    assert "stopped" in str(raised[0])
    assert games.games_played == 2
    assert games.play(1).games.tolist()[0] == 2
    assert games.games_played == 3


def test_stop_ends_a_call_of_another_thread():
    games = SelfPlay(NetworkPolicy(ChampionPolicy().model), num_simulations=64)
    raised: list[BaseException] = []

    def play() -> None:
        while not raised:
            try:
                games.play(10**6)
            except RuntimeError as error:
                if "another thread" not in str(error):
                    raised.append(error)

    thread = threading.Thread(target=play)
    thread.start()
    with pytest.raises(RuntimeError, match="another thread plays these games"):
        while True:
            games.play(1)
    games.stop()
    thread.join(timeout=30)
    assert not thread.is_alive()
    assert "stopped" in str(raised[0])
    assert len(games.play(1)) > 0
