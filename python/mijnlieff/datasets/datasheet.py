"""The data sheet of a data set: what it holds, how it was made, and how to read it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

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
            "actions of their positions. It contains no personal data.\n",
            "## Recipe\n",
            markdown_table(["part", "value"], [[k, str(v)] for k, v in made.items()], 2),
            "`mijnlieff dataset` with these options makes the same files with the same version.\n",
            "## Contents\n",
            markdown_table(["", "number"], _counts(parts)),
            "Random plies of the openings are not part of the games. Positions repeat, also in "
            "games that differ, and turned or mirrored. So split by position, not by game: by the "
            "keys of `mijnlieff.datasets.keys_of_observations`.\n",
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
    names = ("turns", "turns with a choice", "labeled turns", "optimal among these")
    totals = np.zeros(len(names), dtype=np.int64)
    ends = ("won by Light", "won by Dark", "drawn")
    results = np.zeros(len(ends), dtype=np.int64)
    digests = []
    for columns in parts:
        labeled, rows = columns["labeled"], np.arange(len(columns["game"]))
        reached = columns["action_margins"][rows, columns["action"]]
        last = np.append(columns["game"][1:] != columns["game"][:-1], True)
        margins = np.where(columns["player"] == 0, columns["result"], -columns["result"])[last]
        results += [(margins > 0).sum(), (margins < 0).sum(), (margins == 0).sum()]
        totals += [
            len(rows),
            (columns["action_mask"].sum(axis=1) > 1).sum(),
            labeled.sum(),
            (labeled & (reached == columns["margin"])).sum(),
        ]
        digests.append(_digests(columns, last))
    games = np.concatenate(digests)
    counts = [("games", len(games)), ("distinct games", len(np.unique(games)))]
    counts += zip(names, totals.tolist(), strict=True)
    counts += zip(ends, results.tolist(), strict=True)
    return [[name, f"{count:,}"] for name, count in counts]


def _digests(columns: Columns, last: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Return a number for each game of a part, which equal games share.

    Args:
        columns: the columns of the part.
        last: whether a row is the last one of its game.
    """
    ends = np.flatnonzero(last) + 1
    starts = columns["notation"][np.append(0, ends[:-1])]
    actions = np.split(columns["action"], ends[:-1])
    texts = (f"{start} {played.tolist()}" for start, played in zip(starts, actions, strict=True))
    digests = (hashlib.blake2b(text.encode(), digest_size=8).digest() for text in texts)
    return np.frombuffer(b"".join(digests), dtype=np.uint64)
