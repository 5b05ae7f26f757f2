"""The tables of docs/solution.md that come from the count of all positions."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from mijnlieff import Position
from mijnlieff._util.output import markdown_table
from tools.pages.census_plot import LARGEST, draw
from tools.pages.pictures import gallery
from tools.players import PIECES
from tools.results import read_results

__all__ = ["files"]

#: Plies whose hardest positions are drawn.
PUZZLES = (2, 3, 4, 5, 6, 7)

Content = dict[str, Any]


def openings(content: Content) -> dict[str, Content]:
    """Return the counts of each opening rule."""
    return {name: counts for name, counts in content.items() if name != "facts"}


def reached(content: Content) -> str:
    """Return the table of the positions up to symmetry, by ply and in all."""
    columns = [[sum(ply) for ply in one["margins"]] for one in openings(content).values()]
    rows = [
        [f"{ply}", *(f"{column[ply]:,}" if ply < len(column) else "0" for column in columns)]
        for ply in range(max(map(len, columns)))
    ]
    rows.append(["**in all**", *(f"**{sum(column):,}**" for column in columns)])
    rows.append(
        [
            "as they are",
            *(f"{sum(one['as_they_are']):,}" for one in openings(content).values()),
        ]
    )
    return markdown_table(["ply", *(f"`{name}`" for name in openings(content))], rows)


def margins(content: Content) -> str:
    """Return the table of the margins of the side to move, by ply."""
    rows = []
    for ply, counts in enumerate(content["outside"]["margins"]):
        count = sum(counts)
        lost, won = sum(counts[:LARGEST]), sum(counts[LARGEST + 1 :])
        mean = sum(abs(margin - LARGEST) * number for margin, number in enumerate(counts)) / count
        seen = [margin - LARGEST for margin, number in enumerate(counts) if number]
        shares = (f"{part / count:.1%}" for part in (won, counts[LARGEST], lost))
        rows.append([f"{ply}", *shares, f"{mean:.2f}", f"{seen[0]:+d} to {seen[-1]:+d}"])
    return markdown_table(["ply", "won", "drawn", "lost", "mean absolute margin", "margins"], rows)


def _counts(content: Content) -> list[int]:
    return [sum(ply) for ply in content["outside"]["margins"]]


def passes(content: Content) -> str:
    """Return the table of passes and what they decide."""
    facts = content["facts"]
    names = ("passes", "can_block", "block_decides")
    rows = [
        [f"{ply}", *(f"{facts[name][ply] / count:.2%}" for name in names)]
        for ply, count in enumerate(_counts(content))
    ]
    counts = [sum(facts[name]) / sum(_counts(content)) for name in names]
    rows.append(["**all**", *(f"**{count:.2%}**" for count in counts)])
    head = ["ply", "has to pass", "can make the opponent pass", "only that keeps the outcome"]
    return markdown_table(head, rows)


def choices(content: Content) -> str:
    """Return the table of what an action drawn uniformly does, and of single saving actions."""
    facts, rows = content["facts"], []
    for ply, count in enumerate(_counts(content)):
        shares = (facts["best_share"][ply], facts["kept_share"][ply])
        regrets = (facts["regret"][ply], facts["outcome_regret"][ply])
        saving = facts["single_saving"][ply]
        swings = facts["swings"][ply]
        rows.append(
            [
                f"{ply}",
                f"{facts['actions'][ply] / count:.1f}",
                *(f"{share:.1%}" for share in shares),
                *(f"{regret:.3f}" for regret in regrets),
                f"{saving:,} ({saving / count:.1%})",
                f"{max(points for points, number in enumerate(swings) if number)}",
            ]
        )
    head = ["ply", "legal actions", "best", "keep the outcome", "regret, points"]
    head += ["regret, outcomes", "a single saving action", "largest swing"]
    return markdown_table(head, rows)


def exchanges(content: Content) -> str:
    """Return the table of the worth of a piece compared with another."""
    rows = [
        [name, *("" if given == got else f"{row[got]:+.3f}" for got in range(len(PIECES)))]
        for given, (name, row) in enumerate(
            zip(PIECES.values(), content["facts"]["exchanges"], strict=True)
        )
    ]
    return markdown_table(["in the hand", *PIECES.values()], rows)


def forced(content: Content) -> str:
    """Return the table of the rows of turns with a single action."""
    counts = content["facts"]["forced"]
    rows = [[f"{turns}", f"{count:,}"] for turns, count in enumerate(counts) if count]
    return markdown_table(["turns in a row", "positions that begin them"], rows)


def longest(content: Content) -> str:
    """Return the longest such row as text."""
    one = content["facts"]["most forced"]
    end = ", to the end of the game" if one["is over"] else ""
    return f"`{one['notation']}`, then `{' '.join(one['turns'])}`{end}.\n"


def puzzles(content: Content) -> dict[str, Position]:
    """Return the drawn positions with a single saving action, each with its caption."""
    drawn = {}
    for ply in PUZZLES:
        one = content["facts"]["hardest"][ply]
        best = max(one["margins"].values())
        task = "wins" if best > 0 else "draws"
        text = f"ply {ply}: 1 of {len(one['margins'])} {task}"
        drawn[text] = Position.from_notation(one["notation"])
    return drawn


def solutions(content: Content) -> str:
    """Return the table of the saving actions."""
    rows = []
    for ply in PUZZLES:
        one = content["facts"]["hardest"][ply]
        best = max(one["margins"], key=one["margins"].__getitem__)
        others = [margin for name, margin in one["margins"].items() if name != best]
        margins = f"{one['margins'][best]:+d}", f"{max(others):+d}"
        rows.append([f"{ply}", f"`{one['notation']}`", f"`{best}`", *margins])
    head = ["ply", "position", "saving action", "its margin", "the best of the others"]
    return markdown_table(head, rows)


def widest(content: Content) -> tuple[dict[str, Position], str]:
    """Return the earliest position with the largest swing, drawn, and its two actions as text."""
    swings = content["facts"]["widest"]
    points = [
        max(one["margins"].values()) - min(one["margins"].values()) if one else 0 for one in swings
    ]
    one = swings[points.index(max(points))]
    margins = one["margins"]
    best, worst = (choose(margins, key=margins.__getitem__) for choose in (max, min))
    text = (
        f"`{best}` leads to {margins[best]:+d}, `{worst}` to {margins[worst]:+d}: "
        f"{max(points)} points between two actions of `{one['notation']}`.\n"
    )
    caption = f"{best} {margins[best]:+d}, {worst} {margins[worst]:+d}"
    return {caption: Position.from_notation(one["notation"])}, text


def players(content: Content, way: int) -> str:
    """Return the table of the regrets of players.

    Args:
        content: what was measured.
        way: 0 for positions as random play reaches them, 1 for each once.
    """
    most = max(len(grades) for grades in content.values())
    rows = []
    for name, grades in content.items():
        cells = [f"{grade['regret'][way]:.3f}" for grade in grades[1:]]
        cells += ["-"] * (most - len(grades))
        rows.append([f"`{name}`", *cells, f"{grades[-1]['optimal'][way]:.1%}"])
    plies: Sequence[str] = [f"ply {ply}" for ply in range(1, most)]
    return markdown_table(["player", *plies, "best actions at the last ply"], rows)


def files(docs: Path) -> dict[str, str]:
    """Return the tables and pictures by their paths in ``docs``."""
    folder = docs / "results" / "solution"
    content, graded = read_results(folder / "census.json"), read_results(folder / "players.json")
    tables = (reached, margins, passes, choices, exchanges, forced, longest, solutions)
    pages = {f"results/solution/{one.__name__}.md": one(content) for one in tables}
    drawn, text = widest(content)
    pages["results/solution/widest.md"] = text
    pages["results/solution/players.md"] = players(graded, 0)
    pages["results/solution/players_once.md"] = players(graded, 1)
    pages["solution_puzzles.svg"] = gallery(puzzles(content), 3) + "\n"
    pages["solution_swing.svg"] = gallery(drawn, 1) + "\n"
    pages["solution_margins.svg"] = draw(content, "solution_margins")
    return pages
