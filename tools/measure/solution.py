"""Measure perfect play in the standard game into docs/results/solution/solution.json.

It takes about ten minutes on two cores, and 2 GB of memory. `tools.pages` makes the tables.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from mijnlieff import Position, Variant, format_record, grade, solve, solve_batch
from mijnlieff._mijnlieff import canonical_counts
from mijnlieff.evaluation import random_openings
from tools.measure.forced_passes import Rows, random_rows
from tools.players import CELLS, OPENINGS, PIECES
from tools.results import RESULTS, write_results

#: First moves up to symmetry.
FIRSTS = [cell + sign for cell in CELLS for sign in PIECES]
POLICIES = ("random", "greedy", "minimax:2", "minimax:4", "perfect:0.1", "perfect")
PLIES = range(16)


def openings() -> dict[str, dict[str, int]]:
    """Return the margin and the number of best first moves under each opening rule."""
    found = {}
    for opening in OPENINGS:
        solution = solve(Position(Variant(opening=opening)))
        found[opening] = {"margin": solution.margin, "best": len(solution.best_actions)}
    return found


def first_moves() -> dict[str, int]:
    """Return the margin for Light after each first move, up to symmetry."""
    margins = solve(Position(Variant(opening="anywhere"))).action_margins
    return {move: margins[Variant().action_index(move)] for move in FIRSTS}


def replies() -> dict[str, dict[str, Any]]:
    """Return the margin for Dark and the best replies after each first move, up to symmetry."""
    found = {}
    for move in FIRSTS:
        solution = solve(Position(Variant(opening="anywhere")).play(move))
        best = [Variant().action_name(action) for action in solution.best_actions]
        legal = len(solution.action_margins)
        found[move] = {"margin": solution.margin, "legal": legal, "best": best}
    return found


def passes(games: int) -> dict[str, Any]:
    """Return the longest possible row of forced passes, and the longest rows of random games."""
    length, game = Rows().longest()
    counts = np.trim_zeros(random_rows(games), "b")
    return {"longest": length, "game": format_record(game), "random games": counts.tolist()}


def decisions(games: int) -> list[dict[str, Any]]:
    """Return how many actions are best in random games, by ply."""
    rows = []
    for ply in PLIES:
        solved = solve_batch(random_openings(games, ply))
        legal = solved.action_mask.sum(axis=1)
        free = legal > 1
        best = solved.best_mask.sum(axis=1)
        rows.append(
            {
                "legal": float(legal.mean()),
                "best share": float((best[free] / legal[free]).mean()) if free.any() else None,
                "mean margin": float(np.abs(solved.margins).mean()),
                "largest margin": int(np.abs(solved.margins).max()),
            }
        )
    return rows


def grades(positions: int) -> dict[str, Any]:
    """Return the grades of the built-in policies."""
    return {name: grade(name, positions=positions).to_dict()["total"] for name in POLICIES}


def main() -> None:
    """Measure, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plies", type=int, default=6, help="count positions up to this ply")
    parser.add_argument(
        "--games", type=int, default=2000, help="random games to solve, for each ply"
    )
    parser.add_argument(
        "--random-games",
        type=int,
        default=1_000_000,
        help="random games to search for rows of passes",
    )
    parser.add_argument("--positions", type=int, default=3000, help="positions for each grade")
    parser.add_argument("--results", type=Path, default=RESULTS / "solution")
    args = parser.parse_args()
    # The rule with the fewest positions leaves room for one ply more.
    last = {opening: args.plies + (opening == "corner_straight") for opening in OPENINGS}
    counts = {
        opening: [int(count) for count in canonical_counts(Variant(opening=opening), plies)]
        for opening, plies in last.items()
    }
    content = {
        "openings": openings(),
        "first moves": first_moves(),
        "replies": replies(),
        "positions": counts,
        "passes": passes(args.random_games),
        "decisions": decisions(args.games),
        "grades": grades(args.positions),
    }
    write_results(args.results / "solution.json", content)


if __name__ == "__main__":
    main()
