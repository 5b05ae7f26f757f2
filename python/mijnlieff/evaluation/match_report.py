"""The report of a match: counts, a score and an Elo difference with 95 % intervals."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mijnlieff._util.output import TableReport
from mijnlieff.evaluation.statistics import elo_difference, score_interval

__all__ = ["MatchReport", "SeatRecord"]


@dataclass(frozen=True)
class SeatRecord:
    """The results of one player, from one seat or both."""

    wins: int
    draws: int
    losses: int

    @classmethod
    def from_margins(cls, margins: NDArray[np.int64]) -> SeatRecord:
        """Count the signs of these margins."""
        return cls(*(int((np.sign(margins) == sign).sum()) for sign in (1, 0, -1)))

    @property
    def games(self) -> int:
        """The number of games."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """The score, 0 to 1, which is the mean of 1 for a win, 1/2 for a draw, 0 for a loss."""
        return (self.wins + self.draws / 2) / self.games

    @property
    def cells(self) -> list[str]:
        """The printed row."""
        return [str(self.wins), str(self.draws), str(self.losses), f"{self.score:.1%}"]

    def __add__(self, other: SeatRecord) -> SeatRecord:
        """Return both records together."""
        return SeatRecord(
            self.wins + other.wins, self.draws + other.draws, self.losses + other.losses
        )


@dataclass(frozen=True)
class MatchReport(TableReport):
    """The result of a match, from the point of view of the first policy.

    Attributes:
        policy: the name of the first policy.
        opponent: the name of the other policy.
        as_light: results of the first policy as Light.
        as_dark: results of the first policy as Dark.
        score: wins and half the draws, as a share of the games, 0 to 1.
        score_interval: the 95 % interval of the score, see `score_interval`.
        elo: the Elo difference that predicts the score; infinite for a score of 0 or 1.
        elo_interval: the 95 % interval of the Elo difference, from that of the score.
        mean_margin: points of the first policy minus the opponent's, mean over all games.
        opening_plies: random plies at the start of each game.
        seed: the seed of the openings.
    """

    policy: str
    opponent: str
    as_light: SeatRecord
    as_dark: SeatRecord
    score: float
    score_interval: tuple[float, float]
    elo: float
    elo_interval: tuple[float, float]
    mean_margin: float
    opening_plies: int
    seed: int

    @classmethod
    def from_margins(
        cls,
        policy: str,
        opponent: str,
        margins: NDArray[np.int64],
        *,
        opening_plies: int,
        seed: int,
    ) -> MatchReport:
        """Return the report on margins of the first policy.

        Args:
            policy: the name of the first policy.
            opponent: the name of the other policy.
            margins: int64 ``(pairs, 2)``: as Light, as Dark.
            opening_plies: random plies at the start of each game.
            seed: the seed of the openings.
        """
        points = (np.sign(margins) + 1) / 2
        score = float(points.mean())
        low, high = score_interval(points.mean(axis=1))
        return cls(
            policy=policy,
            opponent=opponent,
            as_light=SeatRecord.from_margins(margins[:, 0]),
            as_dark=SeatRecord.from_margins(margins[:, 1]),
            score=score,
            score_interval=(low, high),
            elo=elo_difference(score),
            elo_interval=(elo_difference(low), elo_difference(high)),
            mean_margin=float(margins.mean()),
            opening_plies=opening_plies,
            seed=seed,
        )

    @property
    def total(self) -> SeatRecord:
        """The results from both seats."""
        return self.as_light + self.as_dark

    @property
    def games(self) -> int:
        """The number of games."""
        return self.total.games

    def to_dict(self) -> dict[str, Any]:
        """Return everything as a dict of plain numbers, texts, tuples and dicts."""
        return {**asdict(self), "games": self.games, "total": asdict(self.total)}

    def _rows(self) -> list[list[str]]:
        records = {"as Light": self.as_light, "as Dark": self.as_dark, "total": self.total}
        return [
            ["", "wins", "draws", "losses", "score"],
            *([seat, *of.cells] for seat, of in records.items()),
        ]

    @property
    def _title(self) -> str:
        return f"{self.policy} against {self.opponent}, {self.games} games"

    @property
    def _summary(self) -> str:
        low, high = self.score_interval
        worse, better = self.elo_interval
        return (
            f"score {self.score:.1%} (95% interval {low:.1%} to {high:.1%}), "
            f"Elo {self.elo:+.0f} ({worse:+.0f} to {better:+.0f}), "
            f"mean margin {self.mean_margin:+.2f}"
        )
