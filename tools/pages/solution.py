"""The tables of docs/solution.md."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mijnlieff._util.output import markdown_table
from tools.players import CELLS, PIECES
from tools.results import read_results

__all__ = ["files"]

#: Best replies that are named; of more, only the number is shown.
NAMED = 6

Content = dict[str, Any]


def openings(content: Content) -> str:
    """Return the table of the opening rules."""
    rows = []
    for opening, one in content["openings"].items():
        # Light moves first.
        winner = "Light" if one["margin"] > 0 else "Dark"
        rows.append([f"`{opening}`", f"{one['margin']:+d}", winner, f"{one['best']}"])
    return markdown_table(["opening rule", "margin for Light", "winner", "best first moves"], rows)


def first_moves(content: Content) -> str:
    """Return the table of the margins after each first move."""
    margins = content["first moves"]
    rows = [
        [name, *(f"{margins[cell + sign]:+d}" for sign in PIECES)] for cell, name in CELLS.items()
    ]
    return markdown_table(["cell", *PIECES.values()], rows)


def replies(content: Content) -> str:
    """Return the table of the best replies to each first move."""
    rows = []
    for move, one in content["replies"].items():
        best = one["best"]
        shown = " ".join(f"`{reply}`" for reply in best[:NAMED]) + " ..." * (len(best) > NAMED)
        share = f"{len(best)} of {one['legal']}"
        rows.append([f"{CELLS[move[:2]]} `{move}`", f"{one['margin']:+d}", share, shown])
    return markdown_table(["first move", "margin for Dark", "best replies", "moves"], rows)


def random_passes(content: Content) -> str:
    """Return the table of the longest rows of passes in random games."""
    counts = content["passes"]["random games"]
    games = sum(counts)
    rows = [[f"{row}", f"{count:,}", f"{count / games:.4%}"] for row, count in enumerate(counts)]
    return markdown_table(["most passes in a row", "games", "share"], rows)


def decisions(content: Content) -> str:
    """Return the table of the shares of best actions, by ply of random games."""
    rows = []
    for ply, one in enumerate(content["decisions"]):
        share = "-" if one["best share"] is None else f"{one['best share']:.1%}"
        margins = f"{one['mean margin']:.2f}", f"{one['largest margin']}"
        rows.append([f"{ply}", f"{one['legal']:.1f}", share, *margins])
    head = ["ply", "legal actions", "share of best", "mean absolute margin", "largest"]
    return markdown_table(head, rows)


def grades(content: Content) -> str:
    """Return the table of the grades of the built-in policies."""
    rows = []
    for policy, one in content["grades"].items():
        low, high = one["optimal_interval"]
        optimal = f"{one['optimal']:.1%} ({low:.1%} to {high:.1%})"
        regrets = f"{one['regret']:.3f}", f"{one['outcome_regret']:.3f}"
        rows.append([f"`{policy}`", optimal, f"{one['kept']:.1%}", *regrets])
    head = ["policy", "optimal (95 %)", "outcome kept", "regret, points", "regret, outcomes"]
    return markdown_table(head, rows)


def tablebase(content: Content) -> str:
    """Return the table of the positions that the table and the other programs agree on."""
    every = content["every position"][1:]  # the first is the empty board of one rule
    counts = {"0, every opening rule": content["openings"]}
    counts |= {f"{ply}, every position": one for ply, one in enumerate(every, start=1)}
    counts |= dict(sorted(content["random games"].items(), key=lambda item: int(item[0])))
    rows, sums = [], [0, 0, 0]
    for ply, one in counts.items():
        minimaxed = content["endings"].get(ply, 0)
        numbers = [one[name] for name in ("positions", "actions")]
        sums = [before + more for before, more in zip(sums, [*numbers, minimaxed], strict=True)]
        rows.append([ply, *(f"{number:,}" for number in (*numbers, minimaxed)), "0"])
    rows.append(["**all**", *(f"**{number:,}**" for number in sums), "**0**"])
    head = ["ply", "positions solved", "their actions", "endings by minimax", "different"]
    return markdown_table(head, rows)


def files(docs: Path) -> dict[str, str]:
    """Return the tables by their paths in ``docs``."""
    content = read_results(docs / "results" / "solution" / "solution.json")
    tables = (openings, first_moves, replies, random_passes, decisions, grades)
    pages = {one.__name__: one(content) for one in tables}
    pages["tablebase"] = tablebase(read_results(docs / "results" / "solution" / "tablebase.json"))
    return {f"results/solution/{name}.md": page for name, page in pages.items()}
