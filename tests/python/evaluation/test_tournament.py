"""Tournaments: everybody plays everybody, and ratings are those of greatest likelihood."""

from __future__ import annotations

import itertools
import json
import math
from types import SimpleNamespace

import numpy as np
import pytest

from mijnlieff import PolicyError, evaluate, tournament
from mijnlieff._util.files import package_data
from mijnlieff.evaluation import MatchReport, TournamentReport
from mijnlieff.evaluation.statistics import fit_ratings, point_groups
from players import First

NAMES = {"chance": "random", "greedy": "greedy", "deep": "minimax:2"}


def plain_ratings(points, rounds=20_000):
    """Zermelo's iteration, as Hunter (Annals of Statistics 32, 2004) states it, in Elo."""
    strengths = np.ones(len(points))
    for _ in range(rounds):
        for i in range(len(points)):
            others = [j for j in range(len(points)) if j != i]
            met = sum((points[i, j] + points[j, i]) / (strengths[i] + strengths[j]) for j in others)
            strengths[i] = points[i].sum() / met
        strengths /= np.exp(np.log(strengths).mean())
    return 400 * np.log10(strengths)


def simulated(strengths, games, rng):
    points = np.zeros((len(strengths), len(strengths)))
    for i, j in itertools.combinations(range(len(strengths)), 2):
        chance = 1 / (1 + 10 ** ((strengths[j] - strengths[i]) / 400))
        points[i, j] = rng.binomial(games, chance)
        points[j, i] = games - points[i, j]
    return points


def match(policy, opponent, wins, draws, losses):
    """A match in which pairs of games end alike."""
    margins = np.repeat([1, 0, -1], [wins, draws, losses]).reshape(-1, 2)
    return MatchReport.from_margins(policy, opponent, margins, opening_plies=2, seed=0)


@pytest.mark.parametrize("seed", range(5))
def test_ratings_are_those_of_a_plain_iteration(seed):
    rng = np.random.default_rng(seed)
    points = simulated([-400, -100, 0, 150, 350], 60, rng)
    points += np.where(points > 0, 0.5, 0)
    ratings = fit_ratings(points)
    np.testing.assert_allclose(ratings.elo, plain_ratings(points, 2000), atol=1e-3)
    assert ratings.elo.mean() == pytest.approx(0, abs=1e-9)


def test_far_apart_ratings_are_found_too():
    points = np.array([[0, 1e7 - 0.5, 1e7], [0.5, 0, 1e7 - 0.5], [0, 0.5, 0]])
    elo = fit_ratings(points).elo
    assert elo[0] - elo[1] == pytest.approx(elo[1] - elo[2])
    assert elo[0] - elo[1] > 2500


def test_two_players_have_the_distance_and_the_error_of_a_share():
    ratings = fit_ratings(np.array([[0.0, 75.0], [25.0, 0.0]]))
    assert ratings.elo[0] - ratings.elo[1] == pytest.approx(400 * math.log10(3))
    # The strengths differ by logit p, whose variance is 1 / (n p q); each is half the distance.
    error = 400 / math.log(10) / math.sqrt(100 * 0.75 * 0.25) / 2
    np.testing.assert_allclose(ratings.errors, error)


def test_intervals_cover_the_truth():
    rng = np.random.default_rng(0)
    truth = np.array([-250.0, -50.0, 100.0, 200.0])
    hits = []
    for _ in range(1000):
        ratings = fit_ratings(simulated(truth, 100, rng))
        hits.append(np.abs(ratings.elo - truth) < 1.96 * ratings.errors)
    assert np.abs(np.mean(hits, axis=0) - 0.95).max() < 0.025


def test_groups_of_clean_sweeps():
    assert point_groups(np.array([[0, 1], [1, 0]])) == [[0, 1]]
    assert point_groups(np.array([[0, 0], [2, 0]])) == [[1], [0]]
    # 1 and 2 beat each other, 3 beats 0, and both lose all the rest.
    points = np.array([[0, 0, 0, 0], [2, 0, 1, 2], [2, 1, 0, 2], [2, 0, 0, 0]])
    assert point_groups(points) == [[1, 2], [3], [0]]
    for swept in (points, np.array([[0, 0], [2, 0]])):
        with pytest.raises(ValueError, match="no finite ratings"):
            fit_ratings(swept.astype(float))


def test_a_clean_sweep_is_told_and_counted_with_a_draw_more():
    report = TournamentReport.from_matches(
        [
            match("a", "b", 20, 0, 0),
            match("a", "c", 20, 0, 0),
            match("b", "c", 10, 2, 8),
        ],
        seed=0,
    )
    assert report.groups == (("a",), ("b", "c"))
    points = np.array([[0, 20.5, 20.5], [0.5, 0, 11.5], [0.5, 9.5, 0]])
    elo = [standing.elo for standing in report.standings]
    np.testing.assert_allclose(elo, plain_ratings(points), atol=1e-3)
    assert "a > b, c" in str(report) and "one more game, a draw" in str(report)
    assert "a &gt; b, c" in report._repr_html_()
    # Matches have the infinite Elo difference of a clean sweep; ratings never do.
    json.dumps(report.to_dict()["standings"], allow_nan=False)


def test_the_matches_are_those_of_evaluate():
    report = tournament(NAMES, games=60, seed=7, opening_plies=3)
    pairings = list(itertools.combinations(NAMES, 2))
    assert [(each.policy, each.opponent) for each in report.matches] == pairings
    for number, (each, pairing) in enumerate(zip(report.matches, pairings, strict=True)):
        alone = evaluate(
            *(NAMES[name] for name in pairing),
            games=60,
            seed=7 + number * 2**32,
            opening_plies=3,
            names=pairing,
        )
        assert each == alone
        assert report.score(*pairing) == alone.score
        assert report.score(*pairing[::-1]) == pytest.approx(1 - alone.score)
    assert report == tournament(NAMES, games=60, seed=7, opening_plies=3)
    assert report.names == ("deep", "greedy", "chance")
    assert len(report.groups) == 1
    points = np.array([[60 * report.score(a, b) if a != b else 0 for b in NAMES] for a in NAMES])
    by_name = {standing.name: standing for standing in report.standings}
    elo = [by_name[name].elo for name in NAMES]
    np.testing.assert_allclose(elo, plain_ratings(points), atol=1e-3)
    for standing in report.standings:
        low, high = standing.elo_interval
        assert low < standing.elo < high
        assert standing.total.games == 120
    with pytest.raises(KeyError, match="no match of 'deep' against 'nobody'"):
        report.score("deep", "nobody")


def test_a_file_that_changes_meanwhile_is_one_player(tmp_path):
    file = tmp_path / "network.bin"

    def first_moves(positions):
        file.write_bytes(b"of another run")
        return [position.legal_actions()[0] for position in positions]

    champion = package_data("champion.bin")
    players = {
        "net": f"{file}:2",
        "first": SimpleNamespace(act_batch=first_moves),
        "chance": "random",
    }
    file.write_bytes(champion)
    report = tournament(players, games=4)
    for number, each in enumerate(report.matches[:2]):
        file.write_bytes(champion)
        names = each.policy, each.opponent
        alone = evaluate(*(players[name] for name in names), 4, seed=number * 2**32, names=names)
        assert each == alone


def test_names_are_escaped_on_a_page():
    report = TournamentReport.from_matches([match("greedy", "<chance>", 4, 0, 2)], seed=0)
    assert "2. &lt;chance&gt;" in report._repr_html_()


def test_the_plot_shows_every_player():
    report = tournament(NAMES, games=40)
    axes = report.plot()
    assert [label.get_text() for label in axes.get_yticklabels()] == list(report.names)
    assert report.plot(axes) is axes


BAD_ARGUMENTS = [
    (({},), ValueError, "two or more policies, not 0"),
    (({"a": "random"},), ValueError, "two or more policies, not 1"),
    ((["random", "greedy"],), TypeError, "not a list"),
    (({1: "random", "b": "random"},), TypeError, "must be a str, not 1"),
    (({"a": "random", "b": None},), TypeError, "a policy is a name, a path or an object"),
    (({"a": "random", "b": "perfection"},), ValueError, "unknown policy 'perfection'"),
    ((NAMES, 7), ValueError, "games .* not 7"),
    ((NAMES, 10, None, 2, 2**64), ValueError, "seed .* not 18446744073709551616"),
]


@pytest.mark.parametrize(("arguments", "error", "message"), BAD_ARGUMENTS)
def test_bad_arguments(arguments, error, message):
    with pytest.raises(error, match=message):
        tournament(*arguments)


@pytest.mark.parametrize(
    ("pairings", "counts"),
    [
        (["ab", "bc"], "are 2 matches of 2 pairings"),
        (["ab", "bc", "ca", "ac"], "are 4 matches of 3 pairings"),
        (["ab", "bc", "cb"], "are 3 matches of 2 pairings"),
        (["ab", "bc", "aa"], "are 3 matches of 3 pairings"),
    ],
)
def test_matches_that_are_no_tournament(pairings, counts):
    matches = [match(*pairing, 2, 0, 0) for pairing in pairings]
    message = f"3 players need one match for each of 3 pairings, but there {counts}"
    with pytest.raises(ValueError, match=message):
        TournamentReport.from_matches(matches, seed=0)
    with pytest.raises(ValueError, match="needs at least one match, and matches is empty"):
        TournamentReport.from_matches([], seed=0)


def test_no_game_is_played_before_all_policies_are_known():
    policy = First()
    with pytest.raises(ValueError, match="unknown policy 'missing'"):
        tournament({"a": policy, "b": "random", "c": "missing"}, games=2)
    assert policy.asked == []


@pytest.mark.parametrize(
    "play",
    [
        lambda policy: evaluate(policy, "random", games=20),
        lambda policy: tournament({"a": "random", "b": policy}, games=20),
    ],
    ids=["evaluate", "tournament"],
)
def test_a_policy_that_breaks_the_rules_is_named(play):
    class Broken:
        def act(self, position):
            return 0

        def __repr__(self):
            return "Broken()"

    with pytest.raises(PolicyError, match=r"Broken\(\) chose action 0 in position \d+"):
        play(Broken())
