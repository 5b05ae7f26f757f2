"""Rounds of a log as flat columns, for tables and plots made elsewhere."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from typing import Any

from mijnlieff.train.config import CURVE_OPPONENTS

__all__ = ["csv_text", "flat_row"]


def flat_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """A round with every number under a name of its own.

    Args:
        row: a round as in `log.jsonl`.

    Returns:
        The same numbers; those in `scores` as `score_NAME`, `score_NAME_low` and
        `score_NAME_high`, all None in a round without a measurement.
    """
    flat = {name: value for name, value in row.items() if name != "scores"}
    for opponent in CURVE_OPPONENTS:
        measured = row.get("scores", {}).get(opponent, {})
        for key, end in (("score", ""), ("low", "_low"), ("high", "_high")):
            flat[f"score_{opponent}{end}"] = measured.get(key)
    return flat


def csv_text(rows: Iterable[Mapping[str, Any]], *, header: bool) -> str:
    """Rounds as lines of a CSV file; None becomes an empty field.

    Args:
        rows: rounds as in `log.jsonl`, all of one run and therefore with the same names.
        header: begin with a line of the names.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    for row in rows:
        flat = flat_row(row)
        if header:
            writer.writerow(flat)
            header = False
        writer.writerow(flat.values())
    return text.getvalue()
