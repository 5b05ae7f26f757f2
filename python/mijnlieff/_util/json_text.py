"""Reports as JSON."""

from __future__ import annotations

import json
import math
from typing import Any

__all__ = ["json_text"]


def json_text(content: Any) -> str:
    """Return plain values as indented JSON.

    JSON has no word for the infinite differences of a clean sweep, nor for shares of nothing: null
    stands for them.
    """
    return json.dumps(_finite(content), indent=2, allow_nan=False)


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(entry) for key, entry in value.items()}
    if isinstance(value, tuple | list):
        return [_finite(entry) for entry in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
