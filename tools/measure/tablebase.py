"""Compare the table of the standard game with the solver, into docs/results/solution.

`mijnlieff tablebase build` makes the table. Every position up to a ply, and random positions of
every later one, are both looked up and solved; so are all their actions. The seconds of both are
written too.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np

from mijnlieff import Position, Tablebase, Variant, solve_batch
from mijnlieff.evaluation import random_openings
from mijnlieff.evaluation.canonical import canonical_keys
from tools.results import RESULTS, write_results

OPENINGS = ("outside", "corner", "corner_straight", "anywhere")
PLIES = range(1, 19)


def after(positions: list[Position]) -> list[Position]:
    """Return the positions one ply later, each once up to symmetry."""
    found = {}
    for position in positions:
        children = [position.play(int(action)) for action in position.legal_actions()]
        found.update(zip(canonical_keys(children), children, strict=True))
    return list(found.values())


def compare(table: Tablebase, positions: list[Position]) -> dict[str, Any]:
    """Return how many positions and actions have the same margins, and the seconds both took.

    Raises:
        ValueError: a margin differs.
    """
    start = time.perf_counter()
    found = solve_batch(positions, tablebase=table)
    middle = time.perf_counter()
    solved = solve_batch(positions)
    end = time.perf_counter()
    same = (found.action_margins == solved.action_margins).all(axis=1)
    same &= found.margins == solved.margins
    if not same.all():
        raise ValueError(f"the margins differ:\n{positions[int(np.argmin(same))]}")
    return {
        "positions": len(positions),
        "actions": int(found.action_mask.sum()),
        "look-up seconds": round(middle - start, 2),
        "solver seconds": round(end - middle, 2),
        "margins": {
            str(margin): int(count)
            for margin, count in zip(*np.unique(found.margins, return_counts=True), strict=True)
        },
    }


def main() -> None:
    """Compare, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", type=Tablebase.open, help="the file of the table")
    parser.add_argument("--plies", type=int, default=4, help="compare every position up to this")
    parser.add_argument("--games", type=int, default=20_000, help="random games of every ply")
    parser.add_argument("--results", type=Path, default=RESULTS / "solution")
    args = parser.parse_args()
    table: Tablebase = args.table
    table.check()
    every: dict[str, list[dict[str, Any]]] = {}
    games: dict[str, list[dict[str, Any]]] = {}
    for opening in OPENINGS:
        variant = Variant(opening=opening)
        positions = [Position(variant)]
        every[opening] = [compare(table, positions)]
        for _ in range(args.plies):
            positions = after([position for position in positions if not position.is_over])
            every[opening].append(compare(table, positions))
        games[opening] = [
            compare(table, random_openings(args.games, ply, variant, seed=ply)) for ply in PLIES
        ]
    content = {"size": Tablebase.size(), "every position": every, "random games": games}
    write_results(args.results / "tablebase.json", content)


if __name__ == "__main__":
    main()
