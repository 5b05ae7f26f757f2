"""The tables of docs/language_models.md."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from mijnlieff._util.output import markdown_table
from tools.pages.numbers import percent
from tools.results import read_results

__all__ = ["files"]

PLIES = ((4, 6), (7, 9), (10, 12), (13, 15))


def regret_between(grade: dict[str, Any], first: int, last: int) -> str:
    """Return the mean regret of the positions of some plies."""
    rows = [row for ply, row in grade.items() if ply != "total" and first <= int(ply) <= last]
    count = sum(row["positions"] for row in rows)
    return f"{sum(row['positions'] * row['regret'] for row in rows) / count:.2f}"


def grades(content: dict[str, Any]) -> str:
    """Return the table of legal replies, optimal moves and regret."""
    rows = []
    for name, one in content.items():
        total, replies = one["grade"]["total"], one["replies"]
        rows.append(
            [
                f"`{name}`" if replies is None else name,
                "-" if replies is None else percent(replies["legal_share"]),
                percent(total["optimal"], total["optimal_interval"]),
                percent(total["kept"]),
                f"{total['regret']:.2f}",
                *(regret_between(one["grade"], *plies) for plies in PLIES),
            ]
        )
    plies = [f"plies {first} to {last}" for first, last in PLIES]
    headings = ["player", "legal replies", "optimal", "outcome kept", "regret", *plies]
    return markdown_table(headings, rows)


def illegal(content: dict[str, Any]) -> str:
    """Return the table of what was wrong with replies, as shares of all replies of a model."""
    models = {name: one["replies"] for name, one in content.items() if one["replies"]}
    kinds = {kind for replies in models.values() for kind in replies["illegal"]}
    rows = [
        [
            kind,
            *(percent(it["illegal"].get(kind, 0) / it["replies"]) for it in models.values()),
        ]
        for kind in sorted(kinds)
    ]
    rows.append(
        ["random moves", *(percent(it["fallbacks"] / it["moves"]) for it in models.values())]
    )
    return markdown_table(["", *models], rows)


def files(docs: Path) -> dict[str, str]:
    """Return the tables by their paths in ``docs``."""
    content = read_results(docs / "results" / "language_models" / "grades.json")
    return {
        "results/language_models/grades.md": grades(content),
        "results/language_models/illegal.md": illegal(content),
    }
