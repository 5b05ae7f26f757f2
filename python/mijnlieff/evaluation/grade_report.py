"""The report of a grade: shares of optimal actions and regret, by source, seat and ply."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mijnlieff._util.tables import TableReport
from mijnlieff.evaluation.statistics import mean_interval, share_interval

__all__ = ["GradeReport", "GradeRow", "Judged"]

_HEADINGS = ("positions", "optimal", "decisive", "kept", "regret", "outcome regret")


@dataclass(frozen=True)
class Judged:
    """Choices of a policy compared with perfect play; all arrays are ``(B,)``.

    Attributes:
        source: the source of the position, such as "own games".
        ply: number of actions before the position.
        seat: 0 Light, 1 Dark.
        regret: points lost by the choice, compared with perfect play.
        outcome_regret: 1 if the choice turns a win into a draw or a draw into a loss, 2 if it turns
            a win into a loss, otherwise 0.
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
        """Return the entries of all parts."""
        names = [entry.name for entry in fields(cls)]
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))

    @classmethod
    def none(cls) -> Judged:
        """Return no entries."""
        numbers = np.zeros(0, dtype=np.int64)
        names, flags = np.zeros(0, dtype=np.str_), np.zeros(0, dtype=np.bool_)
        return cls(names, numbers, numbers, numbers, numbers, flags)

    def where(self, chosen: NDArray[np.bool_]) -> Judged:
        """Return the entries selected by a mask, bool ``(B,)``."""
        return Judged(*(getattr(self, entry.name)[chosen] for entry in fields(self)))


@dataclass(frozen=True)
class GradeRow:
    """The grade on some positions.

    Attributes:
        positions: number of positions.
        optimal: share of positions where the choice keeps the exact margin.
        optimal_interval: its 95 % interval.
        decisive: number of positions whose legal actions differ in outcome.
        kept: share of these where the choice keeps the outcome; NaN if there are none.
        kept_interval: its 95 % interval; NaN if there are none.
        regret: points lost, mean over all positions.
        regret_interval: its 95 % interval.
        outcome_regret: outcomes lost (a win turned into a loss is 2), mean over all positions.
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
        """Return the summary of some choices."""
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
        """The printed row."""
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
class GradeReport(TableReport):
    """The grade of a policy against exact play.

    Attributes:
        policy: the name of the policy.
        total: the grade on all positions.
        by_source: by source: random play, minimax of depth 2, and the policy's own games, or strong
            play in a benchmark.
        by_seat: by side to move, Light or Dark.
        by_ply: by the number of actions before the position.
        seed: the seed of the positions.
        benchmark: the name of the benchmark that the positions are from; None if they were drawn.
        repeats: by source, the openings and positions left out because they were equal to earlier
            ones, up to symmetry; empty for a benchmark.
    """

    policy: str
    total: GradeRow
    by_source: dict[str, GradeRow]
    by_seat: dict[str, GradeRow]
    by_ply: dict[int, GradeRow]
    seed: int
    benchmark: str | None = None
    repeats: dict[str, int] = field(default_factory=dict)

    @classmethod
    def from_judged(
        cls,
        policy: str,
        judged: Judged,
        *,
        seed: int,
        benchmark: str | None = None,
        repeats: dict[str, int] | None = None,
    ) -> GradeReport:
        """Return the report on the choices of a policy."""
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
            benchmark=benchmark,
            repeats=repeats or {},
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as a dict of plain numbers, texts, tuples and dicts."""
        return asdict(self)

    def _rows(self) -> list[list[str]]:
        plies = {f"ply {ply}": row for ply, row in self.by_ply.items()}
        named = {**self.by_source, **self.by_seat, **plies, "total": self.total}
        return [["", *_HEADINGS], *([name, *row.cells] for name, row in named.items())]

    @property
    def _title(self) -> str:
        kind = f"positions of {self.benchmark}" if self.benchmark else "distinct positions"
        return f"{self.policy} against exact play, {self.total.positions} {kind}"

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
