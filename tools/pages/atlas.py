"""The tables and pictures of docs/atlas.md, from docs/atlas.csv."""

from __future__ import annotations

from itertools import accumulate, groupby
from pathlib import Path
from urllib.parse import urlencode

from mijnlieff._util.output import markdown_table
from tools.data.atlas import Value, known
from tools.pages.numbers import signed
from tools.players import OPENINGS

__all__ = ["files"]

JOINTS = {"edges": "joined along edges", "corners": "with a joint at a corner"}

CELL = 16
COLUMNS = 5
#: Room for the widest board.
WIDTH = 8 * CELL + 32
#: Room for two lines of text below a board, and for a gap.
TEXT = 64
BEST, PLAIN = "#3f8f5f", "#b9b2a3"


def atlas(file: Path) -> list[list[Value]]:
    """Return the values of each board, by number, in the order of `OPENINGS`."""
    values = sorted(known(file), key=Value.place)
    return [list(group) for _, group in groupby(values, key=lambda value: value.number)]


def picture(boards: list[list[Value]]) -> str:
    """Return the boards as one SVG, each with a link to play on it.

    Cells with a best first move under "anywhere" are green.
    """
    tallest = [
        max(values[0].variant.board.height for values in boards[first : first + COLUMNS])
        for first in range(0, len(boards), COLUMNS)
    ]
    bottoms = list(accumulate(height * CELL + TEXT for height in tallest))
    width, height = COLUMNS * WIDTH, bottoms[-1]
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
        f'width="{width}" height="{height}" font-family="sans-serif" font-size="13" '
        'text-anchor="middle" fill="#808080">'
    ]
    for place, values in enumerate(boards):
        row, column = divmod(place, COLUMNS)
        free = values[OPENINGS.index("anywhere")]
        board = free.variant.board
        best = {name.rstrip("+x<>") for name in free.best}
        left = column * WIDTH + (WIDTH - board.width * CELL) // 2
        bottom = bottoms[row] - TEXT + 8
        address = f"play.html#{urlencode({'variant': str(values[0].variant)})}"
        margins = " ".join(signed(value.margin) for value in values)
        name = f"{free.number} {margins}: play on this board"
        parts.append(f'<a href="{address}" aria-label="{name}">')
        for cell, (x, y) in enumerate(board.cells):
            fill = BEST if board.cell_name(cell) in best else PLAIN
            parts.append(
                f'<rect x="{left + x * CELL + 1}" y="{bottom - (y + 1) * CELL + 1}" '
                f'width="{CELL - 2}" height="{CELL - 2}" rx="2" fill="{fill}"/>'
            )
        middle = column * WIDTH + WIDTH // 2
        for line, text in enumerate((f"{free.number}", margins)):
            parts.append(f'<text x="{middle}" y="{bottom + 16 + 16 * line}">{text}</text>')
        parts.append("</a>")
    return "\n".join([*parts, "</svg>"]) + "\n"


def winners(boards: list[list[Value]]) -> str:
    """Return how often each player wins."""
    rows = []
    for joints, words in JOINTS.items():
        for place, opening in enumerate(OPENINGS):
            margins = [values[place].margin for values in boards if values[0].joints == joints]
            signs = [sum(sign * margin > 0 for margin in margins) for sign in (1, -1)]
            counts = [signs[0], len(margins) - sum(signs), signs[1]]
            rows.append([f"{len(margins)} boards {words}", f"`{opening}`", *map(str, counts)])
    return markdown_table(["boards", "opening rule", "Light wins", "draw", "Dark wins"], rows)


def first_moves(boards: list[list[Value]]) -> str:
    """Return the table of all boards."""
    rows = []
    for values in boards:
        moves = []
        for value in values:
            shown = " ".join(f"`{move}`" for move in value.best[:2])
            moves.append(shown if len(value.best) <= 2 else f"{len(value.best)} moves")
        symmetries = len(values[0].variant.board.symmetries)
        cells = [
            f"{signed(value.margin)}: {move}" for value, move in zip(values, moves, strict=True)
        ]
        rows.append([f"{values[0].number}", f"{symmetries}", *cells])
    return markdown_table(["board", "symmetries", *(f"`{it}`" for it in OPENINGS)], rows)


def files(docs: Path) -> dict[str, str]:
    """Return the tables and pictures by their paths in ``docs``."""
    boards = atlas(docs / "atlas.csv")
    made = {
        "results/atlas/winners.md": winners(boards),
        "results/atlas/first_moves.md": first_moves(boards),
    }
    for joints in JOINTS:
        chosen = [values for values in boards if values[0].joints == joints]
        made[f"atlas_{joints}.svg"] = picture(chosen)
    return made
