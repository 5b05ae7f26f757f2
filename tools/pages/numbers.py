"""Shares and means as text."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

__all__ = ["percent", "percents", "signed", "spread"]


def percent(share: float, interval: Sequence[float] | None = None) -> str:
    """Return a share as text, with its interval if given."""
    if math.isnan(share):
        return "-"
    if interval is None:
        return f"{100 * share:.1f} %"
    low, high = (100 * bound for bound in interval)
    return f"{100 * share:.1f} % ({low:.1f} to {high:.1f})"


def signed(margin: int) -> str:
    """Return a margin with its sign; 0 has none."""
    return f"{margin:+d}" if margin else "0"


def spread(values: Sequence[float], shown: str, unit: str = "") -> str:
    """Return the mean of some seeds, with the least and the largest value if they differ."""
    mean = format(statistics.fmean(values), shown)
    low, high = format(min(values), shown), format(max(values), shown)
    return f"{mean}{unit}" + (f" ({low} to {high})" if low != high else "")


def percents(shares: Sequence[float]) -> str:
    """Return the mean of the shares of some seeds, with the least and the largest as `spread`."""
    return spread([100 * share for share in shares], ".1f", " %")
