"""What a tournament showed: ratings with intervals, and who scored what against whom."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from mijnlieff._util.tables import html_table, text_table
from mijnlieff.errors import MissingExtraError
from mijnlieff.evaluation.match_report import MatchReport, SeatRecord
from mijnlieff.evaluation.statistics import NORMAL_QUANTILE, fit_ratings, point_groups

if TYPE_CHECKING:
    from matplotlib.axes import Axes

__all__ = ["Standing", "TournamentReport"]


@dataclass(frozen=True)
class Standing:
    """One player of a tournament.

    Attributes:
        name: of the player.
        elo: the rating; the mean of all players is 0.
        elo_interval: its 95 % interval.
        total: results of all games.
    """

    name: str
    elo: float
    elo_interval: tuple[float, float]
    total: SeatRecord


@dataclass(frozen=True)
class TournamentReport:
    """The result of a tournament.

    Ratings are those of greatest likelihood in the model of Bradley & Terry, a draw being half a
    win and half a loss, and intervals are from the Fisher information; see
    `mijnlieff.evaluation.statistics`.
    Where a group of players lost not a single point to the others, no finite ratings are likeliest.
    Then, and only then, every match is counted as if it had had one more game, a draw: a clean
    sweep counts as little less than the score nearest to it, and `groups` tells.

    Attributes:
        standings: the players, the best rating first.
        matches: everybody against everybody, once.
        groups: names, best first; no player of a group lost points to one of a later group. A
            single group unless there are clean sweeps as described.
        seed: of the tournament.
    """

    standings: tuple[Standing, ...]
    matches: tuple[MatchReport, ...]
    groups: tuple[tuple[str, ...], ...]
    seed: int

    @classmethod
    def from_matches(cls, matches: Sequence[MatchReport], *, seed: int) -> TournamentReport:
        """Sum up matches of everybody against everybody.

        Raises:
            ValueError: two players have no match, or more than one.
        """
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
        """Return the share of points that a player won against another, 0 to 1.

        Raises:
            KeyError: the two have not met.
        """
        for match in self.matches:
            if _pairing(match) == (player, opponent):
                return match.score
            if _pairing(match) == (opponent, player):
                return 1 - match.score
        raise KeyError(f"no match of {player!r} against {opponent!r}; players are {self.names}")

    def to_dict(self) -> dict[str, Any]:
        """Return everything as a dict of plain numbers, texts, tuples and dicts."""
        return {**asdict(self), "matches": tuple(match.to_dict() for match in self.matches)}

    def plot(self, axes: Axes | None = None) -> Axes:
        """Draw the ratings with their intervals, the best at the top.

        Args:
            axes: where to draw; in a new figure unless given.

        Raises:
            MissingExtraError: matplotlib is not installed.
        """
        if axes is None:
            axes = _new_axes(len(self.standings))
        elo = np.array([standing.elo for standing in self.standings])
        intervals = np.array([standing.elo_interval for standing in self.standings])
        rows = np.arange(len(elo))
        reach = np.abs(intervals - elo[:, None]).T
        axes.errorbar(elo, rows, xerr=reach, fmt="o", color="#0072B2", capsize=4, lw=1.5)
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

    def __str__(self) -> str:
        """Return a table for the terminal."""
        return "\n".join([self._title, text_table(self._rows()), self._summary])

    def _repr_html_(self) -> str:
        """Return the same table for notebooks."""
        return html_table(self._title, self._rows(), self._summary)

    def _rows(self) -> list[list[str]]:
        """The cross table: scores of the row's player against those with these ranks."""
        ranks = range(1, len(self.standings) + 1)
        rows = [["", "Elo", "95% interval", "games", "score", *(f"vs {rank}" for rank in ranks)]]
        for rank, standing in zip(ranks, self.standings, strict=True):
            low, high = standing.elo_interval
            against = [
                "-" if name == standing.name else f"{self.score(standing.name, name):.1%}"
                for name in self.names
            ]
            total = standing.total
            rows.append(
                [
                    f"{rank}. {standing.name}",
                    f"{standing.elo:+.0f}",
                    f"{low:+.0f} to {high:+.0f}",
                    f"{total.games}",
                    f"{total.score:.1%}",
                    *against,
                ]
            )
        return rows

    @property
    def _title(self) -> str:
        games = sorted({match.games for match in self.matches})
        each = "-".join(map(str, dict.fromkeys((games[0], games[-1]))))
        return f"{len(self.standings)} players, {len(self.matches)} matches of {each} games"

    @property
    def _summary(self) -> str:
        text = "ratings of greatest likelihood (Bradley-Terry), mean 0"
        if len(self.groups) == 1:
            return text
        groups = " > ".join(", ".join(group) for group in self.groups)
        return (
            f"{text}; not a point was lost to the right of a sign > in {groups}, so the distance "
            "there has no upper bound, and every match is counted with one draw more"
        )


def _pairing(match: MatchReport) -> tuple[str, str]:
    return match.policy, match.opponent


def _new_axes(rows: int) -> Axes:
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise MissingExtraError(
            f"a plot needs matplotlib ({error}): pip install 'mijnlieff[plot]'"
        ) from error
    _, axes = pyplot.subplots(figsize=(7, 1.2 + 0.5 * rows), layout="constrained")
    return axes
