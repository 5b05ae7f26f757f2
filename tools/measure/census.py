"""Count all positions of the standard game into docs/results/solution/census.json.

`mijnlieff tablebase build` makes the table. The count takes about six minutes of processor time and
5 GB of memory.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mijnlieff import Position, Tablebase, Variant, solve
from tools.players import OPENINGS
from tools.results import RESULTS, read_results, write_results

#: All further facts are those of the first.
MEASURED = OPENINGS[0]
STONES = "SDPL"
#: Copies of each type, and types, in the standard game.
COPIES, TYPES = 2, 4


def bits(cells: int) -> list[int]:
    """Return the cells of a set."""
    return [cell for cell in range(16) if cells >> cell & 1]


def position_of(numbers: NDArray[np.int64], ply: int, variant: Variant) -> Position:
    """Return a position that the census names, with stones of any types that lead to it.

    Args:
        numbers: a row of ``"hardest"`` or ``"widest"``, or ``"most_forced"``.
        ply: its ply.
        variant: the variant.
    """
    _, own, opp, allowed, *hands = numbers.tolist()
    if own == opp == 0:
        return Position(variant)
    placed = [[COPIES - (hand >> 2 * piece & 3) for piece in range(TYPES)] for hand in hands]
    for last, types in _lasts(own, opp, allowed, placed[0], placed[1], variant):
        stones = _lay(own, placed[0], types) | _lay(opp, placed[1], types)
        letters = [_letter(stones.get(cell), own >> cell & 1, ply) for cell in range(16)]
        rows = ["".join(letters[start : start + 4]) for start in (12, 8, 4, 0)]
        return Position.from_notation(f"{'/'.join(rows)} {last} {ply}", variant)
    raise ValueError(f"no turn leads to {numbers.tolist()}")


def _lasts(
    own: int, opp: int, allowed: int, ours: list[int], theirs: list[int], variant: Variant
) -> Iterator[tuple[str, dict[int, int]]]:
    """Yield the last turns that leave these cells, each with the stone that must lie there."""
    empty = 0xFFFF & ~(own | opp)
    for stones, counts, left in ((opp, theirs, allowed), (own, ours, 0)):
        if stones == own and allowed != empty:
            return  # only a pass allows every cell
        for cell in bits(stones):
            for piece in range(TYPES):
                if counts[piece] and reach(piece, cell, variant) & empty == left:
                    name = variant.action_name(16 * piece + cell)[:2] if stones == opp else "pass"
                    yield name, {cell: piece}


def reach(piece: int, cell: int, variant: Variant) -> int:
    """Return the cells that a piece points to."""
    first = Position(Variant(variant.board, "anywhere", variant.copies)).play(16 * piece + cell)
    return sum(1 << other for other in {int(action) % 16 for action in first.legal_actions()})


def _lay(cells: int, counts: list[int], known: dict[int, int]) -> dict[int, int]:
    """Return the type of each stone of a player, one of which may be known."""
    left = [piece for piece in range(TYPES) for _ in range(counts[piece])]
    stones = {cell: known[cell] for cell in bits(cells) if cell in known}
    for piece in stones.values():
        left.remove(piece)
    return stones | dict(zip((it for it in bits(cells) if it not in known), left, strict=True))


def _letter(piece: int | None, is_own: int, ply: int) -> str:
    if piece is None:
        return "."
    is_light = bool(is_own) == (ply % 2 == 0)
    return STONES[piece] if is_light else STONES[piece].lower()


def example(position: Position, table: Tablebase) -> dict[str, Any]:
    """Return a position and the margins of its actions."""
    margins = solve(position, tablebase=table).action_margins
    names = position.variant.action_name
    return {
        "notation": position.notation,
        "margins": {names(action): margin for action, margin in margins.items()},
    }


def facts(found: dict[str, NDArray[Any]], table: Tablebase, variant: Variant) -> dict[str, Any]:
    """Return what is known of the positions, with an example of each extreme at each ply."""
    content: dict[str, Any] = {
        name: array.tolist()
        for name, array in found.items()
        if name not in ("hardest", "widest", "most_forced", "exchanges")
    }
    # A piece is not exchanged for one of its own type.
    content["exchanges"] = [
        [None if np.isnan(change) else float(change) for change in row]
        for row in found["exchanges"]
    ]
    for name in ("hardest", "widest"):
        content[name] = [
            example(position_of(numbers, ply, variant), table) if numbers[0] else None
            for ply, numbers in enumerate(found[name])
        ]
    content["most forced"] = most_forced(found["most_forced"], variant)
    return content


def most_forced(numbers: NDArray[np.int64], variant: Variant) -> dict[str, Any]:
    """Return a position from which the most turns leave a single action, and those turns."""
    stones = sum(len(bits(int(cells))) for cells in numbers[1:3])
    for ply in (stones + passes for passes in range(stones)):
        try:
            first = position = position_of(numbers, ply, variant)
        except ValueError:  # no game reaches it at this ply
            continue
        turns = []
        while len(actions := position.legal_actions()) == 1:
            turns.append(variant.action_name(int(actions[0])))
            position = position.play(int(actions[0]))
        if len(turns) == numbers[0]:
            return {"notation": first.notation, "turns": turns, "is over": position.is_over}
    raise ValueError(f"no ply fits {numbers.tolist()}")


def main() -> None:
    """Count, and write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("table", type=Tablebase.open, help="the file of the table")
    parser.add_argument("--num-threads", type=int, help="threads (default: one for each core)")
    parser.add_argument("--results", type=Path, default=RESULTS / "solution")
    args = parser.parse_args()
    table: Tablebase = args.table
    file = args.results / "census.json"
    content = read_results(file)
    for opening in OPENINGS:
        if opening in content:
            continue
        variant = Variant(opening=opening)
        found = table.census(variant, facts=opening == MEASURED, num_threads=args.num_threads)
        counts = ("margins", "as_they_are")
        content[opening] = {name: found.pop(name).tolist() for name in counts}
        if found:
            content["facts"] = facts(found, table, variant)
        write_results(file, content)


if __name__ == "__main__":
    main()
