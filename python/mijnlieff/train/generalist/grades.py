"""Grades of a policy on many boards, by the exact margins of positions that are solved once."""

from __future__ import annotations

import io
import json
import math
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import MinimaxPolicy, Position, RandomPolicy, Variant
from mijnlieff._util.files import write_whole
from mijnlieff._util.progress import progress_bar
from mijnlieff.errors import MijnlieffError
from mijnlieff.evaluation.decisions import Decisions
from mijnlieff.evaluation.grading import losses_of
from mijnlieff.evaluation.statistics import NORMAL_QUANTILE
from mijnlieff.policies.base import Policy, act_checked
from mijnlieff.solving import EXACT_CELLS, solve_batch
from mijnlieff.train.boards import Boards

__all__ = [
    "BoardGrade",
    "GradedBoards",
    "Judgement",
    "compared",
    "group_grades",
    "mean_over_boards",
]

_MOST_EMPTY = 14
"""Positions of more empty cells take up to seconds each; on large boards they take longer."""
_MOST_EMPTY_LARGE = 12
_ROUNDS = 4


@dataclass(frozen=True)
class BoardGrade:
    """The grade on a group of boards; every board has the same weight.

    Attributes:
        boards: number of boards.
        positions: number of positions.
        optimal: share of positions in which the choice keeps the exact margin.
        low: lower end of its 95 % interval over boards, see `mean_over_boards`; NaN for fewer than
            4 boards.
        high: upper end.
        kept: share in which the choice keeps the outcome, of the positions whose actions differ in
            outcome; NaN if there are none.
        regret: points lost, mean over all positions.
    """

    boards: int
    positions: int
    optimal: float
    low: float
    high: float
    kept: float
    regret: float

    def to_dict(self) -> dict[str, Any]:
        """Return plain values, None in place of NaN."""
        return {
            name: None if isinstance(value, float) and math.isnan(value) else value
            for name, value in asdict(self).items()
        }


@dataclass(frozen=True)
class Judgement:
    """The choices of a policy in the positions of `GradedBoards`, all arrays `(B,)`.

    Attributes:
        boards: the number of the board among all; the seen ones come first.
        is_seen: whether the board is learnt.
        regret: points lost by the choice.
        outcome_regret: outcomes lost; from a win to a loss is 2.
        decisive: whether the legal actions differ in outcome.
    """

    boards: NDArray[np.int64]
    is_seen: NDArray[np.bool_]
    regret: NDArray[np.int64]
    outcome_regret: NDArray[np.int64]
    decisive: NDArray[np.bool_]

    def grade(self, chosen: NDArray[np.bool_]) -> BoardGrade:
        """Return the grade on the positions that a mask selects, at least one."""
        boards = self.boards[chosen]
        is_optimal = (self.regret[chosen] == 0).astype(np.float64)
        mean, low, high = mean_over_boards(boards, is_optimal)
        decisive = chosen & self.decisive
        is_kept = (self.outcome_regret[decisive] == 0).astype(np.float64)
        return BoardGrade(
            boards=len(np.unique(boards)),
            positions=len(boards),
            optimal=mean,
            low=low,
            high=high,
            kept=mean_over_boards(self.boards[decisive], is_kept)[0],
            regret=mean_over_boards(boards, self.regret[chosen].astype(np.float64))[0],
        )


def mean_over_boards(
    boards: NDArray[np.int64], values: NDArray[np.float64]
) -> tuple[float, float, float]:
    """The mean of the boards' means, and its 95 % interval over boards.

    The interval is for boards like these: it treats the mean of each board as one draw (Student's
    t), so it is wider than one for the same positions of the same boards.

    Args:
        boards: `(B,)`, the board of each value.
        values: `(B,)`.

    Returns:
        The mean and both ends; NaN for no values, and NaN ends for fewer than 4 boards.
    """
    means = np.array([values[boards == board].mean() for board in np.unique(boards)])
    if not len(means):
        return math.nan, math.nan, math.nan
    mean, freedom = float(means.mean()), len(means) - 1
    if freedom < 3:
        return mean, math.nan, math.nan
    half = _student_quantile(freedom) * float(means.std(ddof=1)) / math.sqrt(len(means))
    return mean, mean - half, mean + half


def _student_quantile(freedom: int) -> float:
    """The 97.5 % quantile of Student's t, within 1 % from 3 degrees of freedom on.

    The expansion is that of Abramowitz & Stegun (26.7.5).
    """
    z: float = NORMAL_QUANTILE
    terms = (
        z,
        (z**3 + z) / 4,
        (5 * z**5 + 16 * z**3 + 3 * z) / 96,
        (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
    )
    return float(sum(term / freedom**power for power, term in enumerate(terms)))


def group_grades(judged: Judgement) -> dict[str, BoardGrade]:
    """The grades on the seen boards and, if boards are held out, on the unseen ones."""
    groups = {"seen": judged.is_seen, "unseen": ~judged.is_seen}
    return {name: judged.grade(chosen) for name, chosen in groups.items() if chosen.any()}


@dataclass(frozen=True)
class GradedBoards:
    """Positions of many boards with the exact margins of their actions.

    Half of the positions of each board come from random play and half from minimax of depth 2
    against itself, each from another game; equal ones, up to symmetry, are left out.

    Attributes:
        positions: the positions, each with two or more legal actions.
        boards: int64 `(B,)`, the number of the board among all.
        num_seen: boards with a lower number are learnt.
        margins: int16 `(B,)`, for the side to move.
        action_margins: int16 `(B, most actions)`, the smallest int16 where an action is illegal.
    """

    positions: Sequence[Position]
    boards: NDArray[np.int64]
    num_seen: int
    margins: NDArray[np.int16]
    action_margins: NDArray[np.int16]

    @classmethod
    def make(cls, boards: Boards, positions: int, seed: int) -> Self:
        """Draw and solve positions; a few minutes for thousands.

        Args:
            boards: the boards.
            positions: how many on the seen boards together, and as many on the unseen; each board
                has the same number, rounded up.
            seed: of the games and draws.
        """
        drawn: list[Position] = []
        numbers, margins, of_actions = [], [], []
        width = max(one.num_actions for one in boards.all)
        with progress_bar(len(boards.all), "boards graded by the solver") as move_on:
            for number, variant in enumerate(boards.all):
                group = boards.seen if number < len(boards.seen) else boards.unseen
                found = _draw(variant, -(-positions // len(group)), (seed, number))
                if found:
                    solved = solve_batch(found)
                    padded = np.full((len(found), width), np.iinfo(np.int16).min, dtype=np.int16)
                    padded[:, : variant.num_actions] = solved.action_margins
                    drawn += found
                    numbers.append(np.full(len(found), number))
                    margins.append(solved.margins)
                    of_actions.append(padded)
                move_on(1)
        if not drawn:
            raise ValueError("games on these boards have no turn with two legal actions to grade")
        return cls(
            drawn,
            np.concatenate(numbers),
            len(boards.seen),
            np.concatenate(margins),
            np.concatenate(of_actions),
        )

    @classmethod
    def kept_in(cls, file: Path, boards: Boards, positions: int, seed: int) -> Self:
        """Read the positions of `make` from a file, or make them and write it.

        Args:
            file: the file; one with other positions, or that is damaged, is replaced.
            boards: see `make`.
            positions: see `make`.
            seed: see `make`.

        Raises:
            OutputError: the file cannot be written.
        """
        about = json.dumps([boards.to_dict(), positions, seed])
        kept = cls._read(file, boards, about)
        if kept is None:
            kept = cls.make(boards, positions, seed)
            kept._write(file, about)
        return kept

    @classmethod
    def _read(cls, file: Path, boards: Boards, about: str) -> Self | None:
        """The positions in a file; None if it is missing, damaged or about other positions."""
        try:
            with np.load(io.BytesIO(file.read_bytes()), allow_pickle=False) as arrays:
                if str(arrays["about"]) != about:
                    return None
                numbers: NDArray[np.int64] = arrays["boards"]
                texts = zip(arrays["positions"].tolist(), numbers.tolist(), strict=True)
                return cls(
                    [Position.from_notation(text, boards.all[number]) for text, number in texts],
                    numbers,
                    len(boards.seen),
                    arrays["margins"],
                    arrays["action_margins"],
                )
        except (OSError, EOFError, ValueError, KeyError, IndexError, zipfile.BadZipFile):
            return None
        except MijnlieffError:
            return None

    def _write(self, file: Path, about: str) -> None:
        content = io.BytesIO()
        np.savez_compressed(
            content,
            about=np.array(about),
            positions=np.array([position.notation for position in self.positions]),
            boards=self.boards,
            margins=self.margins,
            action_margins=self.action_margins,
        )
        write_whole(file, content.getvalue())

    def judge(self, policy: Policy) -> Judgement:
        """Compare a policy's choices with exact play.

        Args:
            policy: takes positions of several variants.

        Raises:
            PolicyError: it chose an illegal action.
        """
        actions = np.empty(len(self.positions), dtype=np.int64)
        for board in np.unique(self.boards):
            rows = np.flatnonzero(self.boards == board).tolist()
            actions[rows] = act_checked(policy, [self.positions[row] for row in rows])
        return self.judgement(actions)

    def judgement(self, actions: NDArray[np.int64]) -> Judgement:
        """Compare actions, int64 `(B,)`, each of its position's variant, with exact play."""
        regret, outcome_regret, decisive = losses_of(self.margins, self.action_margins, actions)
        return Judgement(self.boards, self.boards < self.num_seen, regret, outcome_regret, decisive)


def _draw(variant: Variant, count: int, seed: tuple[int, int]) -> list[Position]:
    """Distinct positions that can be solved in a short time, `count` or fewer."""
    small = variant.board.num_cells <= EXACT_CELLS
    most_empty = _MOST_EMPTY if small else _MOST_EMPTY_LARGE
    found: list[Position] = []
    for source, player in enumerate((RandomPolicy(seed[1]), MinimaxPolicy(2, seed[1]))):
        share = count // 2 + (source < count % 2)
        decisions = Decisions(player, (*seed, source), variant)
        mine: list[Position] = []
        for _ in range(_ROUNDS):
            drawn = decisions.draw(share)
            mine += [one for one in drawn if (one.stones == 0).sum() <= most_empty]
            if len(mine) >= share or not drawn:
                break
        found += mine[:share]
    return found


def compared(grades: Mapping[str, Mapping[str, BoardGrade]]) -> list[list[str]]:
    """Rows of a table, headings first: the grades of several players on the groups of boards.

    Args:
        grades: by player, and then by group.
    """
    rows = [["boards", "player", "positions", "optimal", "95 % interval", "outcome kept", "regret"]]
    groups = dict.fromkeys(group for by_group in grades.values() for group in by_group)
    for group in groups:
        for player, by_group in grades.items():
            grade = by_group[group]
            interval = "-" if math.isnan(grade.low) else f"{grade.low:.1%} to {grade.high:.1%}"
            kept = "-" if math.isnan(grade.kept) else f"{grade.kept:.1%}"
            rows.append(
                [
                    f"{grade.boards} {group}",
                    player,
                    f"{grade.positions}",
                    f"{grade.optimal:.1%}",
                    interval,
                    kept,
                    f"{grade.regret:.3f}",
                ]
            )
    return rows
