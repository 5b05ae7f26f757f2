"""Exact play in words: margins as texts, and which positions take long to solve."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mijnlieff._mijnlieff import Position, Variant
from mijnlieff._util.output import note, print_table
from mijnlieff.evaluation.reviewing import ReviewedMove
from mijnlieff.rules import PLAYERS
from mijnlieff.solving import EXACT_CELLS, EXACT_ENDING, Solution

__all__ = [
    "EXACT_PLAY",
    "evaluation_line",
    "margin_lines",
    "named_margins",
    "note_if_slow",
    "note_perfect_players",
    "print_review",
]

EXACT_PLAY = (
    f"exact play is for boards of up to {EXACT_CELLS} cells, and for positions with at most "
    f"{EXACT_ENDING} empty cells"
)
"""Which positions can be solved, as a sentence without its period."""


def note_if_slow(position: Position, warning: str) -> None:
    """Print a warning, and the reason, unless all positions of a game from here can be solved."""
    if not position.is_solvable:
        note(f"{EXACT_PLAY}; {warning}")


def note_perfect_players(position: Position, names: Iterable[str]) -> None:
    """Say so if games from a position on may take hours, as one of the players is ``perfect``."""
    if "perfect" in {name.partition(":")[0] for name in names}:
        note_if_slow(position, "perfect play on this board may take hours")


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


def print_review(moves: Sequence[ReviewedMove], variant: Variant) -> None:
    """Print how many points each player gave away, and a table of the moves that did."""
    lost = [sum(move.loss for move in moves if move.player == player) for player in (0, 1)]
    losses = ", ".join(f"{name} {points}" for name, points in zip(PLAYERS, lost, strict=True))
    title = f"Compared with perfect play{_since(moves)}, points given away: {losses}"
    rows = [
        [
            f"{move.ply // 2 + 1}. {move.name}",
            PLAYERS[move.player],
            str(move.loss),
            f"{move.margin:+d}",
            variant.action_name(move.best_actions[0]),
        ]
        for move in moves
        if move.loss
    ]
    if rows:
        print_table([["move", "player", "lost", "margin", "best"], *rows], title)
    else:
        print(title)


def _since(moves: Sequence[ReviewedMove]) -> str:
    """Return from which move on a game is reviewed, if it is not from the first."""
    first = moves[0].ply if moves else 0
    return f" from move {first // 2 + 1} of {PLAYERS[moves[0].player]} on" if first else ""
