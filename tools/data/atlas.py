"""Solve every board of one box under every opening rule, into docs/atlas.csv.

``python -m tools.data.atlas`` runs it. It takes about 40 minutes on a core and 2 GB of
memory. Every value is written as soon as it is known, so a run that was stopped continues where it
ended.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple, Self

from mijnlieff import Board, Position, Variant, solve
from mijnlieff._util.files import write_whole
from mijnlieff._util.output import status_bar
from tools.players import OPENINGS
from tools.results import DOCS

VALUES = DOCS / "atlas.csv"
HEAD = ("number", "board", "joints", "opening", "margin", "best")


class Value(NamedTuple):
    """The exact value of the first position of a variant."""

    number: int
    """The place of the board in the atlas, from 1."""
    board: str
    """Its rows from the top, separated by slashes."""
    joints: str
    """``edges`` if all blocks share edges, otherwise ``corners``."""
    opening: str
    margin: int
    """Points of Light minus points of Dark with perfect play."""
    best: tuple[str, ...]
    """Light's best first moves."""

    @classmethod
    def from_row(cls, row: list[str]) -> Self:
        """Read a row of the file."""
        number, board, joints, opening, margin, best = row
        return cls(int(number), board, joints, opening, int(margin), tuple(best.split()))

    def row(self) -> list[str]:
        """Return the row of the file."""
        return [*map(str, self[:-1]), " ".join(self.best)]

    def place(self) -> tuple[int, int]:
        """Return the place in the file: by board, then by opening rule."""
        return self.number, OPENINGS.index(self.opening)

    @property
    def variant(self) -> Variant:
        """The variant."""
        return Variant(Board.from_text(self.board), self.opening)


def boards() -> Iterator[tuple[int, Board, str]]:
    """Yield number, board and joints: first the 60 boards joined by edges, then the other 85."""
    edges = Board.arrangements(4)
    others = [board for board in Board.arrangements(4, corners=True) if board not in set(edges)]
    for number, board in enumerate([*edges, *others], start=1):
        yield number, board, "edges" if number <= len(edges) else "corners"


def known(file: Path = VALUES) -> list[Value]:
    """Return the values found so far, in the order of the file."""
    if not file.exists():
        return []
    with file.open(newline="", encoding="utf-8") as rows:
        return [Value.from_row(row) for row in list(csv.reader(rows))[1:]]


def main() -> None:
    """Add the values that are missing."""
    found = {(value.board, value.opening) for value in known()}
    wanted = [(*board, opening) for board in boards() for opening in OPENINGS]
    is_new = not VALUES.exists()
    with (
        VALUES.open("a", newline="", encoding="utf-8") as file,
        status_bar(len(found) / len(wanted)) as bar,
    ):
        write = csv.writer(file, lineterminator="\n").writerow
        if is_new:
            write(HEAD)
        for done, (number, board, joints, opening) in enumerate(wanted):
            text = str(board).replace("\n", "/")
            if (text, opening) not in found:
                variant = Variant(board, opening)
                solution = solve(Position(variant))
                best = tuple(variant.action_name(action) for action in solution.best_actions)
                write(Value(number, text, joints, opening, solution.margin, best).row())
                file.flush()
            bar.update((done + 1) / len(wanted), f"board {number}, {opening}")
    rows = [HEAD, *(value.row() for value in sorted(known(), key=Value.place))]
    text = "".join(",".join(row) + "\n" for row in rows)
    write_whole(VALUES, text.encode())


if __name__ == "__main__":
    main()
