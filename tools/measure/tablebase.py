"""Compare the table with the solver, into docs/results/solution/tablebase.json.

`mijnlieff tablebase build` makes the table of the standard game. Every position up to a ply, and
positions of random games at every later ply, are both looked up and solved; so are all their
actions. Endings are also searched by plain minimax. The counts are written as they come, and the
next call continues them. All of it takes an hour of processor time: a third for every position
up to ply 5, 40 % for ply 7, and seconds of solving for each of the last plies.
"""

from __future__ import annotations

import argparse
import time
from pathlib import Path
from typing import Any

import numpy as np

from mijnlieff import Position, Tablebase, Variant, solve_batch
from mijnlieff.evaluation import random_openings
from tools.measure.every_position import plies_of
from tools.players import OPENINGS
from tools.results import RESULTS, read_results, write_results

#: Few random games are longer.
LAST_PLY = 17
#: The opening rule under which every position of the others can arise too, after the first action.
WIDEST = "anywhere"
#: Positions of a ply that are compared before the counts are written.
CHUNK = 50_000
#: Plies from which a plain search to the end is short, and positions of each.
ENDINGS, MINIMAXED = range(12, LAST_PLY + 1), 10_000

Counts = dict[str, int | float]


def compare(table: Tablebase, positions: list[Position], counts: Counts) -> None:
    """Add how many positions and actions have the same margins, and the solver's seconds.

    Raises:
        ValueError: a margin differs.
    """
    found = solve_batch(positions, tablebase=table)
    start = time.process_time()
    solved = solve_batch(positions)
    seconds = time.process_time() - start
    same = (found.action_margins == solved.action_margins).all(axis=1)
    same &= found.margins == solved.margins
    if not same.all():
        raise ValueError(f"the margins differ:\n{positions[int(np.argmin(same))]}")
    counts["positions"] = counts.get("positions", 0) + len(positions)
    counts["actions"] = counts.get("actions", 0) + int(found.action_mask.sum())
    counts["solver seconds"] = counts.get("solver seconds", 0) + seconds


def compare_every_position(
    table: Tablebase, plies: int, content: dict[str, Any], file: Path
) -> None:
    """Compare all positions up to a ply, whatever the opening rule, in chunks that are kept."""
    every: list[Counts] = content.setdefault("every position", [])
    for ply, (positions, _) in enumerate(plies_of(Position(Variant(opening=WIDEST)), plies)):
        if ply == len(every):
            every.append({})
        counts = every[ply]
        while (done := int(counts.get("positions", 0))) < len(positions):
            compare(table, positions[done : done + CHUNK], counts)
            write_results(file, content)


def minimax(position: Position) -> int:
    """Return the margin for the side to move by the rules alone."""
    if position.is_over:
        return position.margin if position.to_play == 0 else -position.margin
    return max(-minimax(position.play(int(action))) for action in position.legal_actions())


def compare_endings(table: Tablebase) -> dict[str, int]:
    """Return at how many endings of each ply plain minimax finds the margin of the table.

    Raises:
        ValueError: a margin differs.
    """
    for ply in ENDINGS:
        positions = random_openings(MINIMAXED, ply, seed=ply)
        expected = [minimax(position) for position in positions]
        different = np.flatnonzero(table.margins(positions) != expected)
        if len(different):
            raise ValueError(f"the margin differs:\n{positions[different[0]]}")
    return {str(ply): MINIMAXED for ply in ENDINGS}


def main() -> None:
    """Compare, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", type=Tablebase.open, help="the file of the table")
    parser.add_argument("--plies", type=int, default=5, help="compare every position up to this")
    parser.add_argument(
        "--positions", type=int, default=10_000_000, help="positions of random games at each ply"
    )
    parser.add_argument(
        "--first-ply", type=int, default=7, help="the first ply of random games to compare"
    )
    parser.add_argument("--results", type=Path, default=RESULTS / "solution")
    args = parser.parse_args()
    table: Tablebase = args.table
    file = args.results / "tablebase.json"
    content: dict[str, Any] = read_results(file)
    if "openings" not in content:
        table.check()
        content["size"] = Tablebase.size()
        content["openings"] = {}
        for opening in OPENINGS:
            compare(table, [Position(Variant(opening=opening))], content["openings"])
        content["endings"] = compare_endings(table)
        write_results(file, content)
    drawn = content.setdefault("random games", {})
    for ply in range(LAST_PLY, args.first_ply - 1, -1):
        counts: Counts = drawn.setdefault(str(ply), {})
        while (done := int(counts.get("positions", 0))) < args.positions:
            variant = Variant(opening=OPENINGS[done // CHUNK % len(OPENINGS)])
            count = min(CHUNK, args.positions - done)
            compare(table, random_openings(count, ply, variant, seed=done), counts)
            write_results(file, content)
    compare_every_position(table, args.plies, content, file)


if __name__ == "__main__":
    main()
