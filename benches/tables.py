"""A case of `benches.speed`: exact margins looked up in a table of every position."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np

from benches.games import Found
from mijnlieff import Tablebase, solve_batch
from mijnlieff.cli.bench import solutions
from mijnlieff.cli.timing import Work, measure, timed
from mijnlieff.evaluation import random_openings

#: The rows with seven to ten stones take most of the file, far more than any cache.
PLY = 9
POSITIONS = 20_000
#: The solver takes much longer for each.
SOLVED = 1000
#: Positions are asked about in parts, since only the least time of each counts.
PARTS = 20


def lookups(path: Path, seconds: float) -> Found:
    """Margins from the file of a table, beside NumPy reading bytes at random places, and solving.

    NumPy reads as many bytes as there are rows to read: one for a margin, one for each action.
    They lie anywhere in the file, so that nearly each has to be fetched from memory by itself.
    """
    table = Tablebase.open(path)
    positions = random_openings(POSITIONS, PLY, table.variant, seed=9)
    parts = [positions[part::PARTS] for part in range(PARTS)]
    look_up_all = partial(solve_batch, num_threads=1, tablebase=table)
    solution = look_up_all(positions)
    actions = solution.action_mask.sum() / POSITIONS
    mapped = np.memmap(path, np.uint8, "r")
    rng = np.random.default_rng(9)
    places = rng.integers(len(mapped), size=(PARTS, POSITIONS // PARTS))
    limit = "bytes at random places"

    def read() -> list[float]:
        return [timed(mapped.take, part) for part in places]

    def look_up() -> list[float]:
        return [timed(table.margins, part, 1) for part in parts]

    def look_up_actions() -> list[float]:
        return [timed(look_up_all, part) for part in parts]

    solved = f"solver, every action, ply {PLY}"
    works = [
        Work(limit, POSITIONS, read),
        Work(f"table, margins, ply {PLY}", POSITIONS, look_up, limit),
        Work(f"table, every action, ply {PLY}", POSITIONS, look_up_actions, limit, actions),
        solutions(solved, positions[:SOLVED]),
        Work("the same beside the solver", POSITIONS, look_up_actions, solved),
    ]
    return measure(works, seconds)
