"""Perfect play: exact margins of positions and of every action.

Every position of a board with up to 16 cells can be solved, and on larger boards every ending with
few empty cells. Early positions of the standard game, up to the fifth stone, are looked up in a
book that comes with the package and is loaded on first use. A solver keeps the results of its
searches in a table, which makes later searches faster. There is one solver for each board and
number of copies, and another one for the opening rule ``corner_straight``; the four used last are
kept. A `Tablebase` answers without a search.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import (
    EXACT_CELLS,
    EXACT_ENDING,
    Position,
    Solution,
    Tablebase,
    common_variant,
    set_table_bytes,
    solve,
    solver_for,
)
from mijnlieff._util.arguments import threads_of
from mijnlieff._util.executors import check_executor, map_jobs

__all__ = [
    "EXACT_CELLS",
    "EXACT_ENDING",
    "Solution",
    "SolutionBatch",
    "Tablebase",
    "set_table_bytes",
    "solve",
    "solve_batch",
    "solver_for",
]

_POSITIONS_OF_A_JOB = 256


@dataclass(frozen=True, eq=False)  # arrays cannot be compared as a whole
class SolutionBatch:
    """The exact values of many positions, for example as labels for training.

    Attributes:
        margins: int16 ``(B,)``, for the side to move.
        action_margins: int16 ``(B, num_actions)``, for the side to move; the smallest int16 where
            the action is illegal.
        action_mask: int8 ``(B, num_actions)``: 1 = legal; a row is all 0 when the game is over.
    """

    margins: NDArray[np.int16]
    action_margins: NDArray[np.int16]
    action_mask: NDArray[np.int8]

    def __len__(self) -> int:
        """Return the number of positions."""
        return len(self.margins)

    @property
    def outcomes(self) -> NDArray[np.int8]:
        """int8 ``(B,)``: 1 when the side to move wins, 0 for a draw, -1 when it loses."""
        return np.sign(self.margins).astype(np.int8)

    @property
    def best_mask(self) -> NDArray[np.int8]:
        """int8 ``(B, num_actions)``: 1 for the actions that keep the margin."""
        best = self.action_margins == self.margins[:, None]
        mask: NDArray[np.int8] = best.astype(np.int8) * self.action_mask
        return mask

    @property
    def policy_targets(self) -> NDArray[np.float32]:
        """float32 ``(B, num_actions)``: the best actions, each equally likely."""
        best = self.best_mask.astype(np.float32)
        targets: NDArray[np.float32] = best / np.maximum(best.sum(axis=1, keepdims=True), 1)
        return targets


def solve_batch(
    positions: Sequence[Position],
    num_threads: int | None = None,
    *,
    max_nodes: int | None = None,
    max_seconds: float | None = None,
    executor: Executor | None = None,
    tablebase: Tablebase | None = None,
) -> SolutionBatch:
    """Return the exact margins of many positions of one variant, and of all their actions.

    Runs without the GIL and stops on Ctrl-C.

    Args:
        positions: finished games are allowed; their margin is the result.
        num_threads: 1 to 1024; None is as many as there are cores, or 1 in each worker of an
            executor. The answer does not depend on it.
        max_nodes: the most positions each thread may search.
        max_seconds: the most time to search, in seconds; infinity means no limit.
        executor: workers that solve 256 positions at a time, and keep the tables of their solvers;
            each time has the limits to itself. The answer does not depend on it.
        tablebase: where to look the margins up, rather than search. Workers of an executor open the
            same file.

    Raises:
        SearchLimitError: a limit was reached; the error names a position that was not solved and
            holds the bounds proven for it.
        ValueError: no position or several variants, 0 threads, a limit that is negative or NaN, or
            a tablebase of another board or number of copies.
        TypeError: an item is not a `Position`, a number is not an integer, or `executor` is not an
            executor.
        BookError: the book that comes with the package is damaged.
        TablebaseError: the tablebase is damaged.
        ClusterError: the executor was shut down, or its workers died.
    """
    check_executor(executor)
    variant = common_variant(positions)
    if executor is not None:
        solve_part = partial(
            solve_batch,
            num_threads=threads_of(num_threads) or 1,
            max_nodes=max_nodes,
            max_seconds=max_seconds,
            tablebase=tablebase,
        )
        jobs = [
            (list(positions[start : start + _POSITIONS_OF_A_JOB]),)
            for start in range(0, len(positions), _POSITIONS_OF_A_JOB)
        ]
        solved = map_jobs(executor, solve_part, jobs)
        return SolutionBatch(
            np.concatenate([part.margins for part in solved]),
            np.concatenate([part.action_margins for part in solved]),
            np.concatenate([part.action_mask for part in solved]),
        )
    solver = solver_for(variant, tablebase)
    arrays = solver.solve_batch(positions, num_threads, max_nodes, max_seconds)
    return SolutionBatch(*arrays)
