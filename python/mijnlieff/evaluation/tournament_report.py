"""The report of a tournament: standings with 95 % intervals, and a cross table of scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mijnlieff._util.output import TableReport
from mijnlieff.evaluation.axes import BLUE, new_axes
from mijnlieff.evaluation.match_report import MatchReport, SeatRecord
from mijnlieff.evaluation.statistics import NORMAL_QUANTILE, fit_ratings, point_groups

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Standing", "TournamentReport"]


@dataclass(frozen=True)
class Standing:
    """One player of a tournament.

    Attributes:
        name: the name of the player.
        elo: the rating; the mean of all players is 0.
        elo_interval: its 95 % interval.
        total: results of all games.
    """

    name: str
    elo: float
    elo_interval: tuple[float, float]
    total: SeatRecord


@dataclass(frozen=True)
class TournamentReport(TableReport):
    """The result of a tournament.

    Ratings are maximum-likelihood estimates in the Bradley-Terry model, with a draw counted as half
    a win and half a loss. Intervals come from the Fisher information; see
    `mijnlieff.evaluation.statistics`.

    If a group of players never lost a point to the others, the likelihood has no finite maximum.
    Only then, one drawn game is added to every match, so that ratings stay finite; `groups` lists
    these groups.

    Attributes:
        standings: the players, the best rating first.
        matches: one match for every pair of players.
        groups: names, best first; no player of a group lost a point to a later group. Usually there
            is a single group.
        seed: the seed of the tournament.
    """

    standings: tuple[Standing, ...]
    matches: tuple[MatchReport, ...]
    groups: tuple[tuple[str, ...], ...]
    seed: int

    @classmethod
    def from_matches(cls, matches: Sequence[MatchReport], *, seed: int) -> TournamentReport:
        """Return the report on one match for every pair of players.

        Raises:
            ValueError: `matches` is empty, or two players have no match or several.
        """
        if not matches:
            raise ValueError("a tournament needs at least one match, and matches is empty")
        names = list(dict.fromkeys(name for match in matches for name in _pairing(match)))
        index = {name: i for i, name in enumerate(names)}
        points = np.zeros((len(names), len(names)))
        totals = {name: SeatRecord(0, 0, 0) for name in names}
        for match in matches:
            (one, other), total = _pairing(match), match.total
            points[index[one], index[other]] += total.wins + total.draws / 2
            points[index[other], index[one]] += total.losses + total.draws / 2
            totals[one] += total
            totals[other] += SeatRecord(total.losses, total.draws, total.wins)
        met = {frozenset(_pairing(match)) for match in matches}
        pairings = len(names) * (len(names) - 1) // 2
        if not len(met) == len(matches) == pairings or any(len(pair) < 2 for pair in met):
            raise ValueError(
                f"{len(names)} players need one match for each of {pairings} pairings, but there "
                f"are {len(matches)} matches of {len(met)} pairings"
            )
        groups = point_groups(points)
        if len(groups) > 1:
            points += (1 - np.eye(len(names))) / 2
        ratings = fit_ratings(points)
        standings = [
            Standing(
                name,
                float(elo),
                (float(elo - NORMAL_QUANTILE * error), float(elo + NORMAL_QUANTILE * error)),
                totals[name],
            )
            for name, elo, error in zip(names, ratings.elo, ratings.errors, strict=True)
        ]
        return cls(
            standings=tuple(sorted(standings, key=lambda standing: -standing.elo)),
            matches=tuple(matches),
            groups=tuple(tuple(names[i] for i in group) for group in groups),
            seed=seed,
        )

    @property
    def names(self) -> tuple[str, ...]:
        """The players, the best rating first."""
        return tuple(standing.name for standing in self.standings)

    def score(self, player: str, opponent: str) -> float:
        """Return the score of a player against another, 0 to 1.

        Raises:
            KeyError: the two have not met.
        """
        for match in self.matches:
            if _pairing(match) == (player, opponent):
                return match.score
            if _pairing(match) == (opponent, player):
                return 1 - match.score
        raise KeyError(
            f"there is no match of {player!r} against {opponent!r}; the players are {self.names}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as a dict of plain numbers, texts, tuples and dicts."""
        return {**asdict(self), "matches": tuple(match.to_dict() for match in self.matches)}

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draw the ratings with their intervals, the best at the top.

        Args:
            axes: the axes to draw in; None makes a new figure.

        Raises:
            MissingExtraError: matplotlib is not installed.
        """
        if axes is None:
            axes = new_axes(1.2 + 0.5 * len(self.standings))
        elo = np.array([standing.elo for standing in self.standings])
        intervals = np.array([standing.elo_interval for standing in self.standings])
        rows = np.arange(len(elo))
        reach = np.abs(intervals - elo[:, None]).T
        axes.errorbar(elo, rows, xerr=reach, fmt="o", color=BLUE, capsize=4, lw=1.5)
        for row, standing in zip(rows, self.standings, strict=True):
            axes.annotate(
                f"{standing.elo:+.0f}",
                (standing.elo, row),
                xytext=(0, 6),
                textcoords="offset points",
                ha="center",
            )
        axes.set_yticks(rows, self.names)
        # The first row is at the top, with room for its number.
        axes.set_ylim(len(elo) - 0.5, -0.7)
        axes.set(xlabel="rating, Elo (mean 0; bars: 95 % intervals)", title=self._title)
        axes.grid(axis="x", alpha=0.3)
        return axes

    def _rows(self) -> list[list[str]]:
        """Return the standings."""
        rows = [["", "Elo", "95% interval", "games", "score"]]
        for rank, standing in enumerate(self.standings, 1):
            low, high = standing.elo_interval
            total = standing.total
            rows.append(
                [
                    f"{rank}. {standing.name}",
                    f"{standing.elo:+.0f}",
                    f"{low:+.0f} to {high:+.0f}",
                    f"{total.games}",
                    f"{total.score:.1%}",
                ]
            )
        return rows

    def _more(self) -> list[tuple[str, list[list[str]]]]:
        """Return the cross table: the scores of each player against the players of each rank."""
        rows = [["", *map(str, range(1, len(self.names) + 1))]]
        for rank, player in enumerate(self.names, 1):
            scores = [
                "-" if name == player else f"{100 * self.score(player, name):.0f}"
                for name in self.names
            ]
            rows.append([f"{rank}. {player}", *scores])
        return [("Scores of each player against those of each rank, in percent", rows)]

    @property
    def _title(self) -> str:
        games = sorted({match.games for match in self.matches})
        each = "-".join(map(str, dict.fromkeys((games[0], games[-1]))))
        return f"{len(self.standings)} players, {len(self.matches)} matches of {each} games"

    @property
    def _summary(self) -> str:
        text = "maximum-likelihood ratings (Bradley-Terry), mean 0"
        if len(self.groups) == 1:
            return text
        groups = " > ".join(", ".join(group) for group in self.groups)
        return (
            f"{text}; in {groups}, groups separated by '>' never lost a point to a later group, so "
            "their gap is unbounded, and every match is counted with one more game, a draw"
        )


def _pairing(match: MatchReport) -> tuple[str, str]:
    return match.policy, match.opponent
