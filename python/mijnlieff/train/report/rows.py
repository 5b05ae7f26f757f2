"""Rounds of a log: read from a line, and as flat columns for tables and plots made elsewhere."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping
from typing import Any

from mijnlieff._util.files import parse_json
from mijnlieff.train.config import CURVE_OPPONENTS

__all__ = ["check_grades", "check_scores", "csv_text", "flat_row", "parse_round"]

_COUNTS = ("round", "steps", "games")
_LOSSES = ("policy_loss", "value_loss", "margin_loss", "entropy")


def parse_round(line: bytes, like: Mapping[str, Any] | None) -> dict[str, Any]:
    """Read a line of `log.jsonl`.

    Args:
        line: the line, without its line break.
        like: another round of the run, which has the same names; None if there is none.

    Raises:
        ValueError: not a round of a run; the message names the fault.
    """
    try:
        row = parse_json(line)
    except UnicodeDecodeError as error:
        raise ValueError(f"byte {error.start + 1} is not UTF-8") from error
    except ValueError as error:
        raise ValueError(f"not JSON: {error}") from error
    if not isinstance(row, dict):
        raise ValueError("not a JSON object")
    for name in _COUNTS:
        if type(row.get(name)) is not int:
            raise ValueError(f"{name} must be an integer, not {row.get(name)!r}")
    for name in _LOSSES:
        if name not in row or not (row[name] is None or _is_number(row[name])):
            raise ValueError(f"{name} must be a number or null, not {row.get(name)!r}")
    if like is not None and row.keys() - {"scores"} != like.keys() - {"scores"}:
        names = ", ".join(sorted((row.keys() ^ like.keys()) - {"scores"}))
        raise ValueError(f"unlike the first line in {names}")
    if row.get("grades") is not None:
        check_grades(row["grades"])
    if "scores" in row:
        check_scores(row["scores"])
    return row


def check_scores(scores: object) -> None:
    """Raise unless these are the scores of a measurement, by opponent.

    Raises:
        ValueError: they are not; the message names the fault.
    """
    for opponent in CURVE_OPPONENTS:
        measured = scores.get(opponent) if isinstance(scores, dict) else None
        if not isinstance(measured, dict):
            raise ValueError(f"scores has no entry for {opponent}")
        for name in ("score", "low", "high"):
            if not _is_number(measured.get(name)):
                raise ValueError(
                    f"{name} in scores for {opponent} must be a number, not {measured.get(name)!r}"
                )


def check_grades(grades: object) -> None:
    """Raise unless these are the grades of a measurement, by group of boards.

    Raises:
        ValueError: they are not; the message names the fault.
    """
    if not isinstance(grades, dict):
        raise ValueError(f"grades must be an object or null, not {grades!r}")
    for group, grade in grades.items():
        if not isinstance(grade, dict):
            raise ValueError(f"{group} in grades must be an object, not {grade!r}")
        for name in ("boards", "optimal", "low", "high"):
            value = grade.get(name)
            # A few boards have no interval.
            if not (_is_number(value) or (value is None and name in ("low", "high"))):
                raise ValueError(f"{name} in grades for {group} must be a number, not {value!r}")


def flat_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """A round with a separate name for every number.

    Args:
        row: a round as in `log.jsonl`.

    Returns:
        The same numbers; those in `scores` as `score_NAME`, `score_NAME_low` and
        `score_NAME_high`, and on many boards those in `grades` as `grade_seen`, `grade_seen_low`
        and so on; all None in a round without a measurement.
    """
    flat = {name: value for name, value in row.items() if name not in ("scores", "grades")}
    for group in ("seen", "unseen") if "grades" in row else ():
        grade = (row["grades"] or {}).get(group, {})
        for key, end in (("optimal", ""), ("low", "_low"), ("high", "_high")):
            flat[f"grade_{group}{end}"] = grade.get(key)
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


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
