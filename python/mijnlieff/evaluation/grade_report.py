"""What a grade showed: shares of optimal actions and regret, by source, seat and ply."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mijnlieff._util.tables import html_table, text_table
from mijnlieff.evaluation.statistics import mean_interval, share_interval

__all__ = ["GradeReport", "GradeRow", "Judged"]

_HEADINGS = ("positions", "optimal", "decisive", "kept", "regret", "outcome regret")


@dataclass(frozen=True)
class Judged:
    """Choices of a policy beside perfect play, an entry for each position; all arrays ``(B,)``.

    Attributes:
        source: whose games the position is from.
        ply: actions before it.
        seat: 0 Light, 1 Dark.
        regret: points that the choice gives away against perfect play.
        outcome_regret: 1 for a win turned into a draw or a draw into a loss, 2 for a win into a
            loss.
        decisive: whether the legal actions differ in outcome.
    """

    source: NDArray[np.str_]
    ply: NDArray[np.int64]
    seat: NDArray[np.int64]
    regret: NDArray[np.int64]
    outcome_regret: NDArray[np.int64]
    decisive: NDArray[np.bool_]

    @classmethod
    def joined(cls, parts: Sequence[Judged]) -> Judged:
        """Return all entries of several."""
        names = [field.name for field in fields(cls)]
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))

    def where(self, chosen: NDArray[np.bool_]) -> Judged:
        """Return the entries chosen."""
        return Judged(*(getattr(self, field.name)[chosen] for field in fields(self)))


@dataclass(frozen=True)
class GradeRow:
    """The grade on some positions.

    Attributes:
        positions: how many.
        optimal: share of positions where the choice keeps the exact margin.
        optimal_interval: its 95 % interval.
        decisive: positions where legal actions differ in outcome.
        kept: share of those where the choice keeps the outcome; NaN when there are none.
        kept_interval: its 95 % interval; NaN when there are none.
        regret: points given away, mean over all positions.
        regret_interval: its 95 % interval.
        outcome_regret: outcomes given away (a win turned into a loss is 2), mean over all.
        outcome_regret_interval: its 95 % interval.
    """

    positions: int
    optimal: float
    optimal_interval: tuple[float, float]
    decisive: int
    kept: float
    kept_interval: tuple[float, float]
    regret: float
    regret_interval: tuple[float, float]
    outcome_regret: float
    outcome_regret_interval: tuple[float, float]

    @classmethod
    def of(cls, judged: Judged) -> GradeRow:
        """Sum up."""
        optimal = judged.regret == 0
        kept = judged.outcome_regret[judged.decisive] == 0
        return cls(
            positions=len(optimal),
            optimal=float(optimal.mean()),
            optimal_interval=share_interval(optimal),
            decisive=len(kept),
            kept=float(kept.mean()) if len(kept) else math.nan,
            kept_interval=share_interval(kept),
            regret=float(judged.regret.mean()),
            regret_interval=mean_interval(judged.regret),
            outcome_regret=float(judged.outcome_regret.mean()),
            outcome_regret_interval=mean_interval(judged.outcome_regret),
        )

    @property
    def cells(self) -> list[str]:
        """The row as it is printed."""
        kept = f"{self.kept:.1%}" if self.decisive else "-"
        return [
            f"{self.positions}",
            f"{self.optimal:.1%}",
            f"{self.decisive}",
            kept,
            f"{self.regret:.3f}",
            f"{self.outcome_regret:.3f}",
        ]


@dataclass(frozen=True)
class GradeReport:
    """The grade of a policy against exact play.

    Attributes:
        policy: its name.
        total: on all positions.
        by_source: on those from random play, from minimax of depth 2, from the policy's own games.
        by_seat: on those of Light and of Dark.
        by_ply: by the number of actions before.
        seed: of the positions.
    """

    policy: str
    total: GradeRow
    by_source: dict[str, GradeRow]
    by_seat: dict[str, GradeRow]
    by_ply: dict[int, GradeRow]
    seed: int

    @classmethod
    def from_judged(cls, policy: str, judged: Judged, *, seed: int) -> GradeReport:
        """Sum up the choices of a policy."""
        seats = {"as Light": 0, "as Dark": 1}
        return cls(
            policy=policy,
            total=GradeRow.of(judged),
            by_source={
                str(source): GradeRow.of(judged.where(judged.source == source))
                for source in dict.fromkeys(judged.source.tolist())
            },
            by_seat={
                name: GradeRow.of(judged.where(judged.seat == seat))
                for name, seat in seats.items()
                if (judged.seat == seat).any()
            },
            by_ply={
                int(ply): GradeRow.of(judged.where(judged.ply == ply))
                for ply in np.unique(judged.ply)
            },
            seed=seed,
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as a dict of plain numbers, texts, tuples and dicts."""
        return asdict(self)

    def __str__(self) -> str:
        """Return a table for the terminal."""
        return "\n".join([self._title, text_table(self._rows()), self._summary])

    def _repr_html_(self) -> str:
        """Return the same table for notebooks."""
        return html_table(self._title, self._rows(), self._summary)

    def _rows(self) -> list[list[str]]:
        plies = {f"ply {ply}": row for ply, row in self.by_ply.items()}
        named = {**self.by_source, **self.by_seat, **plies, "total": self.total}
        return [["", *_HEADINGS], *([name, *row.cells] for name, row in named.items())]

    @property
    def _title(self) -> str:
        return f"{self.policy} against exact play, {self.total.positions} positions"

    @property
    def _summary(self) -> str:
        row = self.total
        low, high = row.optimal_interval
        text = f"optimal {row.optimal:.1%} (95% interval {low:.1%} to {high:.1%}), "
        if row.decisive:
            low, high = row.kept_interval
            text += f"outcome kept on decisive positions {row.kept:.1%} ({low:.1%} to {high:.1%}), "
        low, high = row.regret_interval
        return text + f"mean regret {row.regret:.3f} points ({low:.3f} to {high:.3f})"
