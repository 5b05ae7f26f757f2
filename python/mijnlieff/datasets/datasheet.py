"""The data sheet of a data set: what it holds, how it was made, and how to read it."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from mijnlieff._util.output import markdown_table
from mijnlieff.datasets.games import COLUMNS, Columns
from mijnlieff.datasets.recipe import Recipe

__all__ = ["datasheet"]

_READ = """```python
from mijnlieff.datasets import open_dataset

for columns in open_dataset("FOLDER").parts():
    print(columns["observation"].shape, columns["action"].shape)
```
"""


def datasheet(recipe: Recipe, parts: Iterable[Columns], sums: dict[str, str]) -> str:
    """Return the data sheet as Markdown.

    Args:
        recipe: the recipe.
        parts: the columns of each part.
        sums: the SHA-256 of each file, by name.
    """
    made = recipe.to_dict()
    made["variant"], made["players"] = str(recipe.variant), ", ".join(recipe.players)
    return "\n".join(
        [
            "# Games of Mijnlieff with exact values\n",
            "Games of the board game Mijnlieff between programs, and the exact value of the legal "
            "actions of their positions. There is nothing of persons in it.\n",
            "## Recipe\n",
            markdown_table(["part", "value"], [[k, str(v)] for k, v in made.items()], 2),
            "`mijnlieff dataset` with these options makes the same files with the same version.\n",
            "## Contents\n",
            markdown_table(["", "number"], _counts(parts)),
            "Random plies of the openings are not part of the games. Positions repeat, early ones "
            "most; split by game, not by row.\n",
            "## Columns\n",
            "A row is a turn, forced passes among them.\n",
            markdown_table(
                ["column", "type and meaning"],
                [[name, str(column)] for name, column in COLUMNS.items()],
                2,
            ),
            "## Reading\n",
            _READ,
            "## Files\n",
            markdown_table(["file", "SHA-256"], [list(it) for it in sums.items()], 2),
        ]
    )


def _counts(parts: Iterable[Columns]) -> list[list[str]]:
    """Return the numbers of games, turns and so on, as rows."""
    names = ("games", "turns", "turns with a choice", "labeled turns", "optimal among these")
    totals = np.zeros(len(names), dtype=np.int64)
    results = np.zeros(3, dtype=np.int64)
    for columns in parts:
        labeled, rows = columns["labeled"], np.arange(len(columns["game"]))
        reached = columns["action_margins"][rows, columns["action"]]
        last = np.append(columns["game"][1:] != columns["game"][:-1], True)
        margins = np.where(columns["player"] == 0, columns["result"], -columns["result"])[last]
        results += [(margins > 0).sum(), (margins < 0).sum(), (margins == 0).sum()]
        totals += [
            last.sum(),
            len(rows),
            (columns["action_mask"].sum(axis=1) > 1).sum(),
            labeled.sum(),
            (labeled & (reached == columns["margin"])).sum(),
        ]
    ends = ("won by Light", "won by Dark", "drawn")
    numbers = [*totals.tolist(), *results.tolist()]
    return [[name, f"{it:,}"] for name, it in zip((*names, *ends), numbers, strict=True)]
