"""Exact margins as texts, for the commands ``solve`` and ``play``."""

from __future__ import annotations

from mijnlieff._mijnlieff import Position
from mijnlieff.rules import PLAYERS
from mijnlieff.solving import Solution

__all__ = ["evaluation_line", "margin_lines", "named_margins"]


def named_margins(position: Position, solution: Solution) -> dict[str, int]:
    """Return the margin of every legal action by its name, best first."""
    ranked = sorted(solution.action_margins.items(), key=lambda entry: (-entry[1], entry[0]))
    return {position.variant.action_name(action): margin for action, margin in ranked}


def margin_lines(position: Position, solution: Solution) -> list[str]:
    """Return a line for each margin that a legal action leads to, best first, with the actions."""
    by_margin: dict[int, list[str]] = {}
    for name, margin in named_margins(position, solution).items():
        by_margin.setdefault(margin, []).append(name)
    return [f"{margin:+3d}: {' '.join(names)}" for margin, names in by_margin.items()]


def evaluation_line(position: Position, solution: Solution) -> str:
    """Return the result under perfect play, for example ``Light to move loses, margin -1``."""
    verdict = {1: "wins", 0: "draws", -1: "loses"}[solution.outcome]
    return f"{PLAYERS[position.to_play]} to move {verdict}, margin {solution.margin:+d}"
