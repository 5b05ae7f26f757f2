"""The report of a grade: shares of optimal actions and regret, by source, seat and ply."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mijnlieff._util.output import TableReport
from mijnlieff.evaluation.losses import ActionLosses
from mijnlieff.evaluation.statistics import mean_interval, mean_over_boards, share_interval

__all__ = ["WEIGHTS", "GradeReport", "GradeRow"]

WEIGHTS = ("position", "board")
"""What may have the same weight in a grade."""
_HEADINGS = ("boards", "positions", "optimal", "decisive", "kept", "regret", "outcome regret")


@dataclass(frozen=True)
class GradeRow:
    """The grade on some positions.

    Shares and means are those of the positions; if every board has the same weight, they are means
    of the boards' shares and means. Their intervals are then for boards like these, see
    `mean_over_boards`, and NaN for fewer than 4 boards.

    Attributes:
        boards: number of variants.
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

    boards: int
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
    def of(cls, losses: ActionLosses, by: str = "position") -> GradeRow:
        """Return the summary of some choices, at least one.

        Args:
            losses: what the choices lose.
            by: what has the same weight: every ``"position"``, or every ``"board"``.
        """
        kept = losses.where(losses.decisive)
        optimal, optimal_interval = _estimate(losses.regret == 0, losses.board, share_interval, by)
        outcome_kept, kept_interval = _estimate(
            kept.outcome_regret == 0, kept.board, share_interval, by
        )
        regret, regret_interval = _estimate(losses.regret, losses.board, mean_interval, by)
        outcome_regret, outcome_regret_interval = _estimate(
            losses.outcome_regret, losses.board, mean_interval, by
        )
        return cls(
            boards=len(np.unique(losses.board)),
            positions=len(losses.board),
            optimal=optimal,
            optimal_interval=optimal_interval,
            decisive=len(kept.board),
            kept=outcome_kept,
            kept_interval=kept_interval,
            regret=regret,
            regret_interval=regret_interval,
            outcome_regret=outcome_regret,
            outcome_regret_interval=outcome_regret_interval,
        )

    def __eq__(self, other: object) -> bool:
        """Whether all numbers are equal; two NaN, which stand for no number, are equal too."""
        return isinstance(other, GradeRow) and repr(self) == repr(other)

    def __hash__(self) -> int:
        """Return a hash that is equal for equal rows."""
        return hash(repr(self))

    @property
    def cells(self) -> list[str]:
        """The printed row."""
        kept = f"{self.kept:.1%}" if self.decisive else "-"
        return [
            f"{self.boards}",
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
        by: what has the same weight: ``"position"`` or ``"board"``.
        by_group: by group of the benchmark's boards, if it has groups.
        by_board: by number of the board in the benchmark, if boards have the same weight. The
            intervals of each are those of its positions.
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
    by: str = "position"
    by_group: dict[str, GradeRow] = field(default_factory=dict)
    by_board: dict[int, GradeRow] = field(default_factory=dict)
    benchmark: str | None = None
    repeats: dict[str, int] = field(default_factory=dict)

    @classmethod
    def from_losses(
        cls,
        policy: str,
        losses: ActionLosses,
        *,
        seed: int,
        by: str = "position",
        groups: Sequence[str] = (),
        benchmark: str | None = None,
        repeats: dict[str, int] | None = None,
    ) -> GradeReport:
        """Return the report on the choices of a policy.

        Args:
            policy: the name of the policy.
            losses: what its choices lose, at least one.
            seed: the seed of the positions.
            by: what has the same weight.
            groups: the names of the boards' groups; empty if they have none.
            benchmark: the name of the benchmark.
            repeats: see the class.
        """
        seats = np.array(["as Light", "as Dark"])
        boards = np.unique(losses.board).tolist()
        return cls(
            policy=policy,
            total=GradeRow.of(losses, by),
            by_source=_rows_by(losses, losses.source, dict.fromkeys(losses.source.tolist()), by),
            by_seat=_rows_by(losses, seats[losses.seat], seats.tolist(), by),
            by_ply=_rows_by(losses, losses.ply, np.unique(losses.ply).tolist(), by),
            seed=seed,
            by=by,
            by_group=_rows_by(losses, np.array(groups)[losses.board], dict.fromkeys(groups), by)
            if groups
            else {},
            by_board=_rows_by(losses, losses.board, boards, "position") if by == "board" else {},
            benchmark=benchmark,
            repeats=repeats or {},
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as a dict of plain numbers, texts, tuples and dicts."""
        return asdict(self)

    def _rows(self) -> list[list[str]]:
        boards = {f"board {number}": row for number, row in self.by_board.items()}
        plies = {f"ply {ply}": row for ply, row in self.by_ply.items()}
        parts = (self.by_source, self.by_seat, plies, boards, self.by_group)
        named = {name: row for part in parts for name, row in part.items()}
        rows = [["", *_HEADINGS]]
        rows += [[name, *row.cells] for name, row in (named | {"total": self.total}).items()]
        # The number of boards tells nothing if it is the same everywhere.
        return rows if self.total.boards > 1 else [[row[0], *row[2:]] for row in rows]

    @property
    def _title(self) -> str:
        kind = f"positions of {self.benchmark}" if self.benchmark else "distinct positions"
        return f"{self.policy} against exact play, {self.total.positions} {kind}"

    @property
    def _summary(self) -> str:
        row = self.total
        optimal, kept = _text(row.optimal_interval, ".1%"), _text(row.kept_interval, ".1%")
        text = f"optimal {row.optimal:.1%} (95% interval {optimal}), "
        if row.decisive:
            text += f"outcome kept on decisive positions {row.kept:.1%} ({kept}), "
        text += f"mean regret {row.regret:.3f} points ({_text(row.regret_interval, '.3f')})"
        return text + "; every board has the same weight" * (self.by == "board")


def _estimate(
    values: NDArray[Any],
    boards: NDArray[np.int64],
    interval: Callable[[NDArray[Any]], tuple[float, float]],
    by: str,
) -> tuple[float, tuple[float, float]]:
    """Return a mean and its interval, the given one over positions; NaN without values."""
    if by == "board":
        mean, low, high = mean_over_boards(boards, values.astype(np.float64))
        return mean, (low, high)
    return float(values.mean()) if len(values) else math.nan, interval(values)


def _rows_by(
    losses: ActionLosses, labels: NDArray[Any], shown: Iterable[Any], by: str
) -> dict[Any, GradeRow]:
    """Return a row for each label to show that some choices have."""
    return {
        label: GradeRow.of(losses.where(labels == label), by)
        for label in shown
        if (labels == label).any()
    }


def _text(interval: tuple[float, float], form: str) -> str:
    low, high = interval
    return "unknown" if math.isnan(low) else f"{low:{form}} to {high:{form}}"
