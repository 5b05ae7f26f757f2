"""Reports made of known numbers: what they print, what they turn into, and that they stay."""

from __future__ import annotations

import dataclasses
import importlib
import itertools
import pkgutil
import sys

import numpy as np
import pytest

from mijnlieff import Position, Variant, evaluation
from mijnlieff.errors import MissingExtraError
from mijnlieff.evaluation import (
    ActionLosses,
    BestResponse,
    BestResponseCase,
    GradeReport,
    MatchReport,
    SeatRecord,
    TournamentReport,
)

MODULES = [
    importlib.import_module(f"mijnlieff.evaluation.{module.name}")
    for module in pkgutil.iter_modules(evaluation.__path__)
]
RESULTS = {
    kind
    for module in MODULES
    for kind in vars(module).values()
    if isinstance(kind, type) and dataclasses.is_dataclass(kind)
}


@pytest.mark.parametrize("kind", sorted(RESULTS, key=lambda kind: kind.__name__))
def test_results_cannot_be_changed(kind):
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(object.__new__(kind), dataclasses.fields(kind)[0].name, None)


def match(policy: str, opponent: str, wins: int, draws: int, losses: int) -> MatchReport:
    """A match in which each pair of games ends alike, by 2 points or none."""
    margins = np.repeat([2, 0, -2], [wins, draws, losses]).repeat(2).reshape(-1, 2)
    return MatchReport.from_margins(policy, opponent, margins, opening_plies=3, seed=8)


class TestMatches:
    REPORT = MatchReport.from_margins(
        "one", "other", np.array([[3, -1], [0, 0], [1, 2]]), opening_plies=3, seed=8
    )

    def test_it_prints_as_a_table(self):
        assert str(self.REPORT) == (
            "one against other, 6 games\n"
            "          wins  draws  losses  score\n"
            "as Light     2      1       0  83.3%\n"
            "as Dark      1      1       1  50.0%\n"
            "total        3      2       1  66.7%\n"
            "score 66.7% (95% interval 27.2% to 92.8%), Elo +120 (-171 to +444), mean margin +0.83"
        )

    def test_it_turns_into_a_dict(self):
        low, high = self.REPORT.score_interval
        worse, better = self.REPORT.elo_interval
        assert 0 < low < 2 / 3 < high < 1 and worse < 0 < better
        assert self.REPORT.to_dict() == {
            "policy": "one",
            "opponent": "other",
            "as_light": {"wins": 2, "draws": 1, "losses": 0},
            "as_dark": {"wins": 1, "draws": 1, "losses": 1},
            "total": {"wins": 3, "draws": 2, "losses": 1},
            "games": 6,
            "score": pytest.approx(2 / 3),
            "score_interval": (low, high),
            "elo": pytest.approx(120.41, abs=0.01),
            "elo_interval": (worse, better),
            "mean_margin": pytest.approx(5 / 6),
            "opening_plies": 3,
            "seed": 8,
        }
        record = SeatRecord(3, 2, 1)
        assert record.games == 6 and record.score == pytest.approx(4 / 6)
        assert record + SeatRecord(10, 20, 30) == SeatRecord(13, 22, 31)


class TestTournaments:
    MATCHES = (match("a", "b", 3, 1, 1), match("a", "c", 2, 2, 1), match("b", "c", 1, 1, 1))

    def test_it_prints_as_two_tables(self):
        assert str(TournamentReport.from_matches(self.MATCHES, seed=4)) == (
            "3 players, 3 matches of 6-10 games\n"
            "      Elo  95% interval  games  score\n"
            "1. a  +72   -35 to +178     20  65.0%\n"
            "2. c  -19   -136 to +98     16  43.8%\n"
            "3. b  -52   -171 to +66     16  37.5%\n"
            "maximum-likelihood ratings (Bradley-Terry), mean 0\n"
            "\n"
            "Scores of each player against those of each rank, in percent\n"
            "       1   2   3\n"
            "1. a   -  60  70\n"
            "2. c  40   -  50\n"
            "3. b  30  50   -"
        )

    def test_groups_are_told(self):
        matches = (match("a", "b", 5, 0, 0), match("c", "a", 0, 0, 5), match("b", "c", 3, 0, 2))
        lines = str(TournamentReport.from_matches(matches, seed=4)).splitlines()
        assert lines[0] == "3 players, 3 matches of 10 games"
        assert lines[5] == (
            "maximum-likelihood ratings (Bradley-Terry), mean 0; in a > b, c, groups separated by "
            "'>' never lost a point to a later group, so their gap is unbounded, and every match "
            "is counted with one more game, a draw"
        )
        assert [line.split() for line in lines[-3:]] == [
            ["1.", "a", "-", "100", "100"],
            ["2.", "b", "0", "-", "60"],
            ["3.", "c", "0", "40", "-"],
        ]

    def test_it_turns_into_a_dict(self):
        report = TournamentReport.from_matches(self.MATCHES, seed=4)
        content = report.to_dict()
        assert content.keys() == {"standings", "matches", "groups", "seed"}
        assert content["matches"] == tuple(each.to_dict() for each in self.MATCHES)
        assert content["seed"] == 4 and content["groups"] == (("a", "b", "c"),)
        best = report.standings[0]
        assert content["standings"][0] == {
            "name": "a",
            "elo": best.elo,
            "elo_interval": best.elo_interval,
            "total": {"wins": 10, "draws": 6, "losses": 4},
        }


def losses(**changes: object) -> ActionLosses:
    """What six choices lose, on positions of one board."""
    numbers = {
        "source": np.array(["random play", "random play", "strong play"] * 2),
        "board": np.zeros(6, dtype=np.int64),
        "ply": np.array([4, 4, 4, 5, 5, 9]),
        "seat": np.array([0, 0, 0, 1, 1, 1]),
        "regret": np.array([0, 0, 5, 0, 1, 0]),
        "outcome_regret": np.array([0, 0, 2, 0, 1, 0]),
        "decisive": np.array([True, False, True, True, True, False]),
    }
    return ActionLosses(**(numbers | changes))


class TestGrades:
    def test_equal_grades_are_equal(self):
        """Two of them, though NaN, for which there is no number, is not equal to NaN."""
        nothing = {"decisive": np.zeros(6, dtype=bool)}
        one, same = (GradeReport.from_losses("x", losses(**nothing), seed=0) for _ in range(2))
        assert np.isnan(one.total.kept) and one.total.kept is not None
        assert one == same and hash(one.total) == hash(same.total)
        assert one != GradeReport.from_losses("x", losses(), seed=0)

    def test_it_prints_as_a_table(self):
        report = GradeReport.from_losses("mine", losses(), seed=3, benchmark="hard-v1")
        assert str(report) == (
            "mine against exact play, 6 positions of hard-v1\n"
            "             positions  optimal  decisive   kept  regret  outcome regret\n"
            "random play          4    75.0%         3  66.7%   0.250           0.250\n"
            "strong play          2    50.0%         1   0.0%   2.500           1.000\n"
            "as Light             3    66.7%         2  50.0%   1.667           0.667\n"
            "as Dark              3    66.7%         2  50.0%   0.333           0.333\n"
            "ply 4                3    66.7%         2  50.0%   1.667           0.667\n"
            "ply 5                2    50.0%         2  50.0%   0.500           0.500\n"
            "ply 9                1   100.0%         0      -   0.000           0.000\n"
            "total                6    66.7%         4  50.0%   1.000           0.500\n"
            "optimal 66.7% (95% interval 30.0% to 90.3%), outcome kept on decisive positions 50.0% "
            "(15.0% to 85.0%), mean regret 1.000 points (-0.600 to 2.600)"
        )

    def test_boards_and_groups_have_rows(self):
        boards = np.array([0, 0, 0, 1, 1, 2])
        report = GradeReport.from_losses(
            "mine",
            losses(board=boards, decisive=np.zeros(6, dtype=bool)),
            seed=3,
            by="board",
            groups=["seen", "seen", "unseen"],
        )
        assert str(report) == (
            "mine against exact play, 6 distinct positions\n"
            "             boards  positions  optimal  decisive  kept  regret  outcome regret\n"
            "random play       2          4    75.0%         0     -   0.250           0.250\n"
            "strong play       2          2    50.0%         0     -   2.500           1.000\n"
            "as Light          1          3    66.7%         0     -   1.667           0.667\n"
            "as Dark           2          3    75.0%         0     -   0.250           0.250\n"
            "ply 4             1          3    66.7%         0     -   1.667           0.667\n"
            "ply 5             1          2    50.0%         0     -   0.500           0.500\n"
            "ply 9             1          1   100.0%         0     -   0.000           0.000\n"
            "board 0           1          3    66.7%         0     -   1.667           0.667\n"
            "board 1           1          2    50.0%         0     -   0.500           0.500\n"
            "board 2           1          1   100.0%         0     -   0.000           0.000\n"
            "seen              2          5    58.3%         0     -   1.083           0.583\n"
            "unseen            1          1   100.0%         0     -   0.000           0.000\n"
            "total             3          6    72.2%         0     -   0.722           0.389\n"
            "optimal 72.2% (95% interval unknown), mean regret 0.722 points (unknown); every board "
            "has the same weight"
        )

    def test_it_turns_into_a_dict(self):
        repeats = {"random play": 3, "strong play": 1}
        report = GradeReport.from_losses("mine", losses(), seed=3, repeats=repeats)
        content = report.to_dict()
        assert content["by_source"]["strong play"]["regret"] == 2.5
        assert (content["policy"], content["seed"], content["by"]) == ("mine", 3, "position")
        assert content["repeats"] == repeats and content["benchmark"] is None
        assert content["by_group"] == content["by_board"] == {}
        two = GradeReport.from_losses("mine", losses(board=np.array([0, 0, 0, 1, 1, 1])), seed=3)
        assert str(two).splitlines()[-2].split()[:3] == ["total", "2", "6"]
        light = GradeReport.from_losses("mine", losses(seat=np.zeros(6, dtype=np.int64)), seed=3)
        assert list(light.by_seat) == ["as Light"] and light.repeats == {}


STARTS = [Position(), Position(Variant(opening="corner"))]


def guarantees(seat: str, *cases: tuple[int, int, str | None], **changes: object) -> BestResponse:
    """A report with a case for each margin, value and worst game."""
    seats = ["light", "dark"] if seat == "both" else [seat]
    wheres = itertools.product(seats, STARTS[: len(cases) // len(seats)])
    numbers = {
        "policy": "mine",
        "seat": seat,
        "horizon": None,
        "cases": tuple(
            BestResponseCase(*where, *case) for where, case in zip(wheres, cases, strict=True)
        ),
        "positions": {0: 1, 1: 48, 3: 1200},
        "mistakes": {1: (48, 4), 3: (1000, 1000)},
        "refutations": ("first", "second", "third", "fourth"),
    }
    return BestResponse(**(numbers | changes))


class TestBestResponses:
    TABLE = (
        ["ply", "reachable", "outcome", "kept", "given", "away"],
        ["0", "1"],
        ["1", "48", "48", "4"],
        ["3", "1,200", "1,000", "1,000"],
        ["total", "1,249", "1,004"],
    )

    @pytest.mark.parametrize(
        ("report", "title", "summary"),
        [
            (
                guarantees("light", (1, 1, "game"), refutations=()),
                "mine as Light against every opponent",
                ["guaranteed margin +1 (a win), with perfect play +1 (a win)"],
            ),
            (
                guarantees("dark", (0, 1, "game"), horizon=7),
                "mine as Dark against every opponent",
                [
                    "if it plays perfectly from ply 7 on: guaranteed margin +0 (a draw), with "
                    "perfect play +1 (a win)",
                    "a worst game: game",
                    "the shortest of 1,004 refutations: first | second | third",
                ],
            ),
            (
                guarantees("both", (2, 2, "better"), (-1, 0, "game"), refutations=("only",)),
                "mine as either side against every opponent",
                [
                    "guaranteed margin -1 (a loss), with perfect play +0 (a draw)",
                    "a worst game: game",
                    "the shortest of 1,004 refutations: only",
                ],
            ),
            (
                guarantees("both", (3, 3, "a"), (-5, 4, None), (0, 0, "b"), (-5, -1, "c")),
                "mine as either side against every opponent, 2 starts",
                [
                    "guaranteed margin -5 (a loss), with perfect play -1 (a loss)",
                    "a worst game: c",
                    "the shortest of 1,004 refutations: first | second | third",
                ],
            ),
        ],
        ids=["win", "draw", "loss", "starts"],
    )
    def test_it_prints_as_a_table(self, report, title, summary):
        lines = str(report).splitlines()
        assert lines[0] == title
        assert tuple(line.split() for line in lines[1:6]) == self.TABLE
        assert len({len(line) for line in lines[1:6]}) == 1
        assert lines[6:] == summary

    def test_it_turns_into_a_dict(self):
        report = guarantees("light", (-2, 1, "game"), horizon=3)
        assert report.to_dict() == {
            "policy": "mine",
            "seat": "light",
            "horizon": 3,
            "margin": -2,
            "outcome": -1,
            "value": 1,
            "positions": {0: 1, 1: 48, 3: 1200},
            "mistakes": {1: (48, 4), 3: (1000, 1000)},
            "refutations": ("first", "second", "third", "fourth"),
            "worst_game": "game",
            "cases": (
                {
                    "seat": "light",
                    "start": STARTS[0].notation,
                    "margin": -2,
                    "outcome": -1,
                    "value": 1,
                    "worst_game": "game",
                },
            ),
        }


class TestPlots:
    @pytest.fixture(autouse=True)
    def pyplot(self):
        """Close the figures at the end."""
        pyplot = pytest.importorskip("matplotlib.pyplot")
        yield
        pyplot.close("all")

    def test_ratings_have_a_point_a_bar_and_a_number(self):
        report = TournamentReport.from_matches(TestTournaments.MATCHES, seed=4)
        axes = report.plot()
        assert axes.get_title() == "3 players, 3 matches of 6-10 games"
        assert axes.get_xlabel() == "rating, Elo (mean 0; bars: 95 % intervals)"
        assert all(line.get_visible() for line in axes.get_xgridlines())
        assert not any(line.get_visible() for line in axes.get_ygridlines())
        (drawn,) = axes.containers
        points, _, (bars,) = drawn.lines
        assert points.get_marker() == "o" and points.get_linestyle() == "None"
        for row, (standing, bar) in enumerate(
            zip(report.standings, bars.get_segments(), strict=True)
        ):
            assert points.get_xydata()[row] == pytest.approx([standing.elo, row])
            assert bar[:, 0] == pytest.approx(standing.elo_interval) and (bar[:, 1] == row).all()
        figure = axes.figure
        figure.canvas.draw()
        frame = axes.get_window_extent()
        for row, text in enumerate(axes.texts):
            assert text.get_text() == ["+72", "-19", "-52"][row]
            # It is right above its point, inside the frame.
            where, (x, y) = text.get_window_extent(), axes.transData.transform(text.xy)
            assert text.xy == pytest.approx((report.standings[row].elo, row))
            assert (where.x0 + where.x1) / 2 == pytest.approx(x, abs=1)
            assert y < where.y0 < y + 15 and where.y1 < frame.y1
        assert axes.get_ylim() == (2.5, -0.7)
        assert len(axes.texts) == 3 and figure.get_size_inches().tolist() == [7, 2.7]
        assert figure.get_layout_engine() is not None

    def test_mistakes_have_bars_on_a_logarithmic_scale(self):
        report = guarantees("both", (2, 2, "a"), (-1, 0, "b"))
        axes = report.plot()
        assert axes.get_title() == "mine as either side against every opponent"
        assert (axes.get_xlabel(), axes.get_yscale()) == ("ply", "symlog")
        assert axes.get_ylabel() == "positions with the policy to move"
        assert axes.get_xticks().tolist() == [1, 3]
        # A factor of ten is as high from 1 on as from 10 on.
        heights = axes.transData.transform([[0, 1], [0, 10], [0, 100]])[:, 1]
        assert heights[1] - heights[0] == pytest.approx(heights[2] - heights[1])
        texts = [text.get_text() for text in axes.get_legend().get_texts()]
        assert texts == ["outcome kept before", "given away"]
        kept, given_away = axes.containers
        for bars, counts in ((kept, [48, 1000]), (given_away, [4, 1000])):
            assert [bar.get_height() for bar in bars] == counts
            assert [bar.get_center()[0] for bar in bars] == [1, 3]
            assert all(bar.get_width() < 1 for bar in bars)
        assert kept[0].get_facecolor() != given_away[0].get_facecolor()
        assert axes.figure.get_size_inches().tolist() == [7, 4]
        assert report.plot(axes) is axes and len(axes.containers) == 4

    def test_without_matplotlib_it_says_what_to_install(self, monkeypatch):
        monkeypatch.setitem(sys.modules, "matplotlib", None)
        with pytest.raises(
            MissingExtraError,
            match=r"^a plot needs matplotlib .*: pip install 'mijnlieff\[plot\]'$",
        ):
            guarantees("light", (1, 1, "game")).plot()
