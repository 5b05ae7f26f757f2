"""Matches: both seats of each opening, honest intervals, and the same games either way."""

import math

import numpy as np
import pytest

from draws import ERRORS, assert_alike
from mijnlieff import (
    Board,
    GreedyPolicy,
    MinimaxPolicy,
    NetworkPolicy,
    RandomPolicy,
    Variant,
    evaluate,
)
from mijnlieff._mijnlieff import SEEDS
from mijnlieff.evaluation import MatchReport, play_match, random_openings
from mijnlieff.evaluation.lock_step import play_in_lock_step, play_out
from mijnlieff.evaluation.match import Conditions, play_pairs
from mijnlieff.evaluation.statistics import NORMAL_QUANTILE, elo_difference, score_interval


class Foreign:
    """A policy that is not built in, and plays as one that is."""

    def __init__(self, inner):
        self.inner = inner

    def act_batch(self, positions):
        return self.inner.act_batch(positions)


def test_natively_and_in_lock_step_the_players_are_as_strong():
    strong, weak = MinimaxPolicy(2), RandomPolicy()
    conditions = Conditions.checked(4000, None, 2, 0, None)
    native = play_pairs(strong, weak, conditions, 0, 2000, ignore)
    lock_step = play_pairs(Foreign(strong), weak, conditions, 0, 2000, ignore)
    # The margins of the other player, from the other seats.
    exchanged = -play_pairs(weak, Foreign(strong), conditions, 0, 2000, ignore)[:, ::-1]
    for other in (lock_step, exchanged):
        assert_alike(native.mean(axis=1), other.mean(axis=1))
        for seat in range(2):
            assert_alike(np.sign(native[:, seat]), np.sign(other[:, seat]))
    report = evaluate(strong, weak, games=4000)
    assert report.games == report.total.games == 4000
    assert report.as_light.games == report.as_dark.games == 2000


def ignore(games):
    """Take the number of finished games, in place of a progress bar."""


def first_legal(observations, masks):
    return -np.arange(masks.shape[1]) * np.ones((len(masks), 1))


def test_both_ways_use_the_same_openings_in_the_same_order():
    # Two players without chance: the margins follow from the openings alone.
    conditions = Conditions.checked(40, None, 4, 8, None)
    openings = random_openings(20, 4, seed=conditions.first_pair_seed)
    first, last = NetworkPolicy(first_legal), NetworkPolicy(lambda o, m: -first_legal(o, m))
    finished = []
    margins = play_in_lock_step(openings, first, last, finished.append)
    assert sum(finished) == 40
    for i, position in enumerate(openings):
        for seat in range(2):
            game = position
            while not game.is_over:
                policy = first if game.to_play == seat else last
                game = game.play(policy.act(game))
            assert margins[i, seat] == (game.margin if seat == 0 else -game.margin)
    report = evaluate(first, last, games=40, opening_plies=4, seed=8)
    assert report == MatchReport.from_margins(
        report.policy, report.opponent, margins, opening_plies=4, seed=8
    )


def test_later_pairs_have_their_own_openings_and_seeds():
    conditions = Conditions.checked(100, None, 4, 7, None)
    other = NetworkPolicy(first_legal)
    seed = conditions.first_pair_seed
    openings = random_openings(20, 4, seed=seed, first=5)
    for policy, opponent in ((RandomPolicy(3), other), (other, RandomPolicy(3))):
        found = play_pairs(policy, opponent, conditions, 5, 20, ignore)
        seeded = [
            player.with_seed((3 + seed + 5) % SEEDS) if player is not other else other
            for player in (policy, opponent)
        ]
        assert np.array_equal(found, play_in_lock_step(openings, *seeded, ignore))
    most = SEEDS - seed  # the seeds of pairs go on from 0
    assert play_pairs(RandomPolicy(3), other, conditions, most - 5, 20, ignore).shape == (20, 2)


def test_games_are_played_to_their_end_by_the_players_of_their_seats():
    starts = random_openings(6, 3, seed=1)
    light = [0, 1, 1, 0, 0, 1]
    players = (NetworkPolicy(first_legal), NetworkPolicy(lambda o, m: -first_legal(o, m)))
    ends, played = play_out(starts, players, light)
    for start, first, end, actions in zip(starts, light, ends, played, strict=True):
        game = start
        for action in actions:
            assert action == players[first ^ game.to_play].act(game)
            game = game.play(action)
        assert game.is_over and game == end


@pytest.mark.parametrize("wrap", [lambda policy: policy, Foreign], ids=["native", "lock-step"])
def test_the_seed_decides_the_report(wrap):
    def report(seed):
        opponent = wrap(GreedyPolicy(1))
        return evaluate(RandomPolicy(), opponent, games=100, seed=seed).to_dict()

    reports = [report(seed) for seed in (0, 0, 1)]
    for each in reports:
        del each["opponent"], each["seed"]
    assert reports[0] == reports[1] != reports[2]


def test_native_matches_do_not_depend_on_threads_slices_or_use():
    openings = random_openings(60, 2, seed=3)
    policy, opponent = MinimaxPolicy(2), RandomPolicy()
    whole = play_match(openings, policy, opponent, seed=3, num_threads=1)
    assert whole.dtype == np.int64 and whole.shape == (60, 2)
    assert whole.sum() > 120  # two plies of sight are worth a point a game
    policy.act_batch(openings)
    for threads in (3, 4):
        found = play_match(openings, policy, opponent, seed=3, num_threads=threads)
        assert np.array_equal(found, whole)
    parts = [play_match(openings[i : i + 20], policy, opponent, 3, i, 8) for i in (0, 20, 40)]
    assert np.array_equal(np.concatenate(parts), whole)
    assert not np.array_equal(play_match(openings, policy, opponent.with_seed(1), seed=3), whole)


def test_equal_policies_score_one_half():
    report = evaluate(RandomPolicy(), RandomPolicy(), games=4000)
    low, high = report.score_interval
    error = (high - low) / (2 * NORMAL_QUANTILE)
    assert abs(report.score - 0.5) < ERRORS * error
    # A game that is a coin toss has the variance 1/4, and the sample is within a few percent of it.
    assert error < 1.1 * math.sqrt(0.25 / 4000)
    assert report.elo_interval == (elo_difference(low), elo_difference(high))


def test_openings():
    openings = random_openings(200, 12, seed=4)
    assert all(position.ply == 12 and not position.is_over for position in openings)
    assert len(set(openings)) > 190
    assert random_openings(5, 12, seed=4, first=7) == openings[7:12]
    assert random_openings(5, 12, seed=11) == openings[7:12]
    assert random_openings(1, 0)[0].ply == 0


@pytest.mark.parametrize("other", [GreedyPolicy(), NetworkPolicy(first_legal)])
def test_matches_of_consecutive_seeds_are_independent(other):
    conditions = [Conditions.checked(400, None, 4, seed, None) for seed in (0, 1)]
    one, next_one = (play_pairs(GreedyPolicy(), other, it, 0, 200, ignore) for it in conditions)
    # Pair i + 1 of a seed is not pair i of the next one.
    assert (one[1:] == next_one[:-1]).mean() < 0.5


def test_intervals():
    assert elo_difference(0.5) == 0
    assert elo_difference(10 / 11) == pytest.approx(400)
    assert elo_difference(1.0) == math.inf and elo_difference(0.0) == -math.inf
    for pairs in (1, 10, 500):
        low, high = score_interval(np.ones(pairs))
        assert high == 1 and 0 <= low < 1
        assert score_interval(np.zeros(pairs)) == pytest.approx((0, 1 - low))
    # Wilson's interval starts at 0.9924 for 500 wins and at 0.9962 for 1000.
    assert 0.9924 < score_interval(np.ones(500))[0] < 0.9962
    # Where every opening is split there is little doubt, but never none.
    low, high = score_interval(np.full(500, 0.5))
    assert 0.49 < low < 0.5 < high < 0.51


def test_the_interval_covers_the_true_score():
    rng = np.random.default_rng(0)
    for chance in (0.5, 0.9, 0.99):
        scores = rng.binomial(2, chance, size=(2000, 100)) / 2
        intervals = np.array([score_interval(row) for row in scores])
        covered = (intervals[:, 0] <= chance) & (chance <= intervals[:, 1])
        assert 0.93 < covered.mean() < 0.999


def test_a_report_counts_for_its_policy():
    margins = np.array([[3, 2], [1, 0], [-1, 4]])
    report = MatchReport.from_margins("a<b", "c", margins, opening_plies=2, seed=7)
    assert (report.as_light.wins, report.as_light.draws, report.as_light.losses) == (2, 0, 1)
    assert (report.as_dark.wins, report.as_dark.draws, report.as_dark.losses) == (2, 1, 0)
    assert "a&lt;b against c" in report._repr_html_()
    perfect = MatchReport.from_margins("a", "b", abs(margins) + 1, opening_plies=2, seed=7)
    assert perfect.elo == math.inf and "Elo +inf" in str(perfect)


def test_other_variants():
    tower = Variant(Board.from_blocks([(0, 0), (2, 2), (4, 4), (6, 6)]), "anywhere", 1)
    report = evaluate("greedy", Foreign(RandomPolicy()), games=200, variant=tower)
    assert report.games == 200 and report.score > 0.5
    assert evaluate("greedy", "random", games=200, variant=tower).score > 0.5


BAD_ARGUMENTS = [
    ({"games": 0}, "games must be positive and even.* not 0"),
    ({"games": 7}, "games .* not 7"),
    ({"games": -2}, "games .* not -2"),
    ({"seed": -1}, "seed .* not -1"),
    ({"seed": 2**64}, "seed .* not 18446744073709551616"),
    ({"opening_plies": -1}, "opening_plies .* not -1"),
    ({"opening_plies": 40}, "after 40 random opening plies"),
    ({"num_threads": 0}, "num_threads .* not 0"),
    ({"opponent": "perfection"}, "unknown policy 'perfection'"),
    ({"opponent": "minimax:99"}, "depth must be 1 to 64 plies, not 99"),
]


@pytest.mark.parametrize(("arguments", "message"), BAD_ARGUMENTS, ids=str)
def test_bad_arguments(arguments, message):
    with pytest.raises(ValueError, match=message):
        evaluate("random", **{"opponent": "random", **arguments})


def test_wrong_types_and_openings():
    with pytest.raises(TypeError):
        evaluate("random", "random", games=10.0)
    with pytest.raises(TypeError, match="a policy is a name, a path or an object"):
        evaluate("random", None)
    for names in (("a",), "ab", ("a", 1)):
        with pytest.raises(TypeError, match=r"names must be two strings.* not "):
            evaluate(Foreign(None), "random", names=names)  # before any game is played
    with pytest.raises(ValueError, match="empty"):
        play_match([], RandomPolicy(), RandomPolicy())
    with pytest.raises(TypeError):
        play_match(random_openings(1, 2), RandomPolicy(), Foreign(RandomPolicy()))
