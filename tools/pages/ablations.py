"""The table of docs/when_it_does_not_learn.md."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean
from typing import Any

from mijnlieff._util.output import markdown_table
from tools.pages.numbers import percents, spread
from tools.results import file_name, read_results

__all__ = ["ablations", "files"]

BASE = "as it is"
KINDS = {
    "Mistakes": {
        "sign": "the next value with a plus sign, as for a single agent",
        "reward": "every reward is Light's, whoever acted",
        "view": "positions shown from Light's side, not from that of the player to move",
        "ends": "values carried over the end of a game into the next one",
        "no mask": "no mask: all actions are offered, and an illegal one loses the game",
        "mask in play only": "the mask while playing, but not while learning",
    },
    "Games": {
        "no random plies": "no random plies: every game starts from the empty board",
        "against random": "against a random player only, in place of self-play",
        "against minimax:2": "against `minimax:2` only",
        "64 games": "64 games at once in place of 512: small batches, more often",
        "2048 games": "2,048 games at once: large batches, seldom",
    },
    "Settings": {
        "rate times 10": "the learning rate times ten (0.02)",
        "rate by 10": "the learning rate divided by ten (0.0002)",
        "constant rate": "a learning rate that does not fall",
        "one epoch": "each batch learned once, not three times",
        "no entropy": "no entropy bonus",
        "entropy times 10": "an entropy bonus ten times as large",
        "results alone": "lambda 1: only the results of games, no values on the way",
        "width 32": "32 units in place of 256",
    },
    "Help": {
        "turned": "every position turned and mirrored at random before it is learned",
        "cells": "the network of the package, with its features",
    },
}
"""What is changed, in words, by kind and by name in `tools.measure.ablations`."""


def ablations(results: Path) -> str:
    """Return the table: for each change the grade, the rating and their difference."""
    measured = {
        name: read_results(results / f"{file_name(name)}.json")
        for name in (BASE, *(name for kind in KINDS.values() for name in kind))
    }
    rows = [["", "the example as it is", *_cells(measured[BASE], measured[BASE])]]
    for kind, changes in KINDS.items():
        for number, (name, words) in enumerate(changes.items()):
            if measured[name]:
                title = kind if number == 0 else ""
                rows.append([title, words, *_cells(measured[name], measured[BASE])])
    head = ["", "what is changed", "seeds", "optimal", "against the example", "rating"]
    return markdown_table(head, rows, num_texts=2)


def _cells(seeds: dict[str, Any], base: dict[str, Any]) -> list[str]:
    """Return what a row says, beside the same seeds of the example."""
    optimal = [one["optimal"] for one in seeds.values()]
    change = fmean(optimal) - fmean(base[seed]["optimal"] for seed in seeds)
    return [
        str(len(seeds)),
        percents(optimal),
        "-" if seeds == base else f"{100 * change:+.1f}",
        spread([one["rating"] for one in seeds.values()], "+.0f"),
    ]


def files(docs: Path) -> dict[str, str]:
    """Return the table by its path in ``docs``."""
    return {"results/ablations/table.md": ablations(docs / "results" / "ablations")}
