"""The positions on which a run on many boards is graded, and its grades as plain values."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import numpy as np

from mijnlieff._mijnlieff import Position
from mijnlieff._util.files import write_whole
from mijnlieff.datasets.files import DAMAGED
from mijnlieff.errors import MijnlieffError
from mijnlieff.evaluation.benchmark import Benchmark, solutions_of
from mijnlieff.evaluation.grade_report import GradeRow
from mijnlieff.train.boards import Boards

__all__ = ["graded_positions", "plain_grade"]

_FEWEST_BOARDS = 4
"""Means of fewer boards have no interval over boards."""


def graded_positions(
    file: Path, boards: Boards, positions: int, seed: int, progress: bool = False
) -> Benchmark:
    """Read the positions of a run from a file, or draw and solve them and write it.

    The groups of the boards are "seen" and, if some are held out, "unseen".

    Args:
        file: the file; one with other positions, or that is damaged, is replaced.
        boards: the boards.
        positions: how many on the seen boards together, and as many on the unseen.
        seed: of the games and draws.
        progress: show progress on standard error while they are drawn.

    Raises:
        ValueError: games on these boards have no turn with two legal actions.
        OSError: the file cannot be written.
    """
    about = json.dumps([boards.to_dict(), positions, seed])
    groups = ["seen"] * len(boards.seen) + ["unseen"] * len(boards.unseen)
    kept = _read(file, boards, groups, about)
    if kept is None:
        kept = Benchmark.draw(boards.all, positions, seed, groups=groups, progress=progress)
        content = io.BytesIO()
        np.savez_compressed(
            content,
            about=np.array(about),
            positions=np.array([position.notation for position in kept.positions]),
            boards=kept.boards,
            sources=kept.sources,
            action_margins=kept.solutions.action_margins,
        )
        write_whole(file, content.getvalue())
    return kept


def _read(file: Path, boards: Boards, groups: list[str], about: str) -> Benchmark | None:
    """The positions in a file; None if it is missing, damaged or about other positions."""
    try:
        with np.load(io.BytesIO(file.read_bytes()), allow_pickle=False) as arrays:
            if str(arrays["about"]) != about:
                return None
            numbers, sources = arrays["boards"], arrays["sources"]
            margins = arrays["action_margins"]
            num_actions = max(variant.num_actions for variant in boards.all)
            if margins.shape != (len(numbers), num_actions) or sources.shape != numbers.shape:
                return None
            texts = zip(arrays["positions"].tolist(), numbers.tolist(), strict=True)
            return Benchmark(
                name=f"{len(boards.all)} boards",
                positions=tuple(
                    Position.from_notation(text, boards.all[number]) for text, number in texts
                ),
                variants=boards.all,
                boards=numbers,
                sources=sources,
                solutions=solutions_of(margins),
                groups=tuple(groups),
            )
    except (OSError, *DAMAGED, IndexError, MijnlieffError):
        return None


def plain_grade(row: GradeRow) -> dict[str, Any]:
    """A grade as the log and the report of a run have it, None in place of NaN.

    Args:
        row: the grade on boards of the same weight. The interval, `low` to `high`, is over boards,
            so there is none for fewer than 4.
    """
    has_interval = row.boards >= _FEWEST_BOARDS
    low, high = row.optimal_interval if has_interval else (None, None)
    return {
        "boards": row.boards,
        "positions": row.positions,
        "optimal": row.optimal,
        "low": low,
        "high": high,
        "kept": row.kept if row.decisive else None,
        "regret": row.regret,
    }
