"""JSON: reports to write, and texts from outside to read."""

from __future__ import annotations

import json
import math
from typing import Any

__all__ = ["json_text", "parse_json"]

_MOST_BRACKETS = 500


def json_text(content: Any) -> str:
    """Return plain values as indented JSON.

    JSON cannot express infinity (the Elo difference of a clean sweep) or NaN (a share of nothing),
    so null stands for both.
    """
    return json.dumps(_finite(content), indent=2, allow_nan=False)


def parse_json(text: str | bytes) -> Any:
    """Read a short JSON text that anyone may have written.

    Brackets are counted before the parser sees them. It would stop at Python's recursion limit,
    but the garbage collector can run there, and then the finalizers of other objects fail.

    Raises:
        ValueError: it is not JSON, not UTF-8, or has more than 500 opening brackets.
    """
    if isinstance(text, bytes):
        text = text.decode()
    brackets = text.count("[") + text.count("{")
    if brackets > _MOST_BRACKETS:
        raise ValueError(f"{brackets} opening brackets; at most {_MOST_BRACKETS} are read")
    return json.loads(text)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(entry) for key, entry in value.items()}
    if isinstance(value, tuple | list):
        return [_finite(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
