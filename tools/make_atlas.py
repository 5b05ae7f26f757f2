"""Write docs/atlas.md and its pictures from docs/atlas.csv, whose missing values are solved first.

``make atlas`` runs it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import accumulate, groupby
from pathlib import Path

import atlas_values
from atlas_values import OPENINGS, Value
from make_solution import table

DOCS = Path(__file__).parents[1] / "docs"
JOINTS = {"edges": "joined along edges", "corners": "with a joint at a corner"}

SQUARE = "####/####/####/####"

CELL = 16
COLUMNS = 5
#: Room for the widest board.
WIDTH = 8 * CELL + 32
#: Room for two lines of text below a board, and for a gap.
TEXT = 64
BEST, PLAIN = "#3f8f5f", "#b9b2a3"


def signed(margin: int) -> str:
    """Return a margin with its sign; 0 has none."""
    return f"{margin:+d}" if margin else "0"


def atlas() -> list[list[Value]]:
    """Return the values of each board, by number, in the order of `OPENINGS`."""
    values = sorted(atlas_values.known(), key=Value.place)
    return [list(group) for _, group in groupby(values, key=lambda value: value.number)]


def picture(boards: list[list[Value]]) -> str:
    """Return the boards as one SVG; cells with a best first move under "anywhere" are green."""
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
        for cell, (x, y) in enumerate(board.cells):
            fill = BEST if board.cell_name(cell) in best else PLAIN
            parts.append(
                f'<rect x="{left + x * CELL + 1}" y="{bottom - (y + 1) * CELL + 1}" '
                f'width="{CELL - 2}" height="{CELL - 2}" rx="2" fill="{fill}"/>'
            )
        middle = column * WIDTH + WIDTH // 2
        margins = " ".join(signed(value.margin) for value in values)
        for line, text in enumerate((f"{free.number}", margins)):
            parts.append(f'<text x="{middle}" y="{bottom + 16 + 16 * line}">{text}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def winners(boards: list[list[Value]]) -> Iterator[str]:
    """Yield how often each player wins."""
    rows = []
    for joints, words in JOINTS.items():
        for place, opening in enumerate(OPENINGS):
            margins = [values[place].margin for values in boards if values[0].joints == joints]
            signs = [sum(sign * margin > 0 for margin in margins) for sign in (1, -1)]
            counts = [signs[0], len(margins) - sum(signs), signs[1]]
            rows.append([f"{len(margins)} boards {words}", f"`{opening}`", *map(str, counts)])
    yield from table(["boards", "opening rule", "Light wins", "draw", "Dark wins"], rows)


def few_moves(boards: list[list[Value]]) -> Iterator[str]:
    """Yield the table of all boards."""
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
    yield from table(["board", "symmetries", *(f"`{it}`" for it in OPENINGS)], rows)


def page(boards: list[list[Value]]) -> Iterator[str]:
    """Yield the lines of the page."""
    values = [value for board in boards for value in board]
    largest = max(abs(value.margin) for value in values)
    decisive = [value for value in values if value.margin > 0]
    single = sum(len(value.best) == 1 for value in decisive)
    yield "# The atlas of boards"
    yield ""
    yield "The four blocks of one box can be laid out in 60 ways if each touches another along an"
    yield "edge, and in 145 ways if a corner is enough; rotations and reflections count once."
    yield f"These are the {len(values)} exact values of all boards under all four opening rules."
    yield "`Board.arrangements` returns the boards, and `make atlas` makes the page."
    yield ""
    yield from winners(boards)
    yield f"No margin is larger than {largest} {'point' if largest == 1 else 'points'}."
    for place, opening in enumerate(OPENINGS):
        dark = [it[0] for it in boards if it[place].margin < 0]
        if [value.board for value in dark] == [SQUARE]:
            yield f"Under `{opening}` Dark wins on the standard board alone, which is number"
            yield f"{dark[0].number}."
        elif dark:
            numbers = ", ".join(str(value.number) for value in dark)
            yield f"Under `{opening}` Dark wins on the boards {numbers}."
    yield f"Where Light wins, {single} of {len(decisive)} times a single first move does it."
    yield ""
    yield "[`docs/atlas.csv`](atlas.csv) has every value with all best first moves."
    yield ""
    for joints, words in JOINTS.items():
        yield f"## Boards {words}"
        yield ""
        yield "Below each board its number and the margins for Light under `outside`, `corner`,"
        yield "`corner_straight` and `anywhere`. Green cells have a best first move under"
        yield "`anywhere`."
        yield ""
        yield f"![All boards {words}](atlas_{joints}.svg)"
        yield ""
    yield "## Values and first moves"
    yield ""
    yield "The margin for Light, and the best first moves where there are one or two."
    yield ""
    yield from few_moves(boards)
    yield "## How this was checked"
    yield ""
    yield "The values come from `mijnlieff.solve`. `make check-atlas` compares them with a plain"
    yield "alpha-beta search, which has no table and knows no symmetry: after a best first move and"
    yield "random plies on every board under every rule, it plays the game to its end."
    yield ""


def main() -> None:
    """Solve what is missing, and write the page and the pictures."""
    atlas_values.main()
    boards = atlas()
    for joints in JOINTS:
        chosen = [values for values in boards if values[0].joints == joints]
        (DOCS / f"atlas_{joints}.svg").write_text(picture(chosen), encoding="utf-8")
    text = "\n".join(page(boards)).rstrip() + "\n"
    (DOCS / "atlas.md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
