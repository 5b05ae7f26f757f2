"""A game as plain values, which travel to the page as JSON."""

from __future__ import annotations

from typing import Any

from mijnlieff._mijnlieff import Position, Variant
from mijnlieff.rules import PLAYERS
from mijnlieff.solving import EXACT_CELLS, EXACT_ENDING, Solution
from mijnlieff.widget.exact import Exact, loss_of
from mijnlieff.widget.line import Line, must_pass

__all__ = ["evaluation_of", "game_of", "marks_of", "position_of"]


def game_of(variant: Variant) -> dict[str, Any]:
    """Return the part that stays the same for a whole game."""
    board = variant.board
    return {
        "width": board.width,
        "height": board.height,
        "cells": [list(cell) for cell in board.cells],
        "names": [board.cell_name(cell) for cell in range(board.num_cells)],
        "rows": board.to_text(),
        "opening": variant.opening,
        "copies": variant.copies,
        "passAction": variant.pass_action,
        "exactCells": EXACT_CELLS,
        "exactEnding": EXACT_ENDING,
    }


def position_of(position: Position) -> dict[str, Any]:
    """Return a position, with a sentence about the state of the game."""
    return {
        "stones": position.stones.tolist(),
        "pieces": position.pieces.tolist(),
        "hands": position.hands.tolist(),
        "score": list(position.score),
        "toPlay": position.to_play,
        "ply": position.ply,
        "isOver": position.is_over,
        "exact": position.is_solvable,
        "legal": position.legal_actions().tolist(),
        "mustPass": must_pass(position),
        "lastAction": position.last_action,
        "notation": position.notation,
        "status": _status(position),
    }


def _status(position: Position) -> str:
    light, dark = position.score
    if position.is_over:
        if light == dark:
            return f"The game is over: a draw, {light} to {dark}"
        winner = PLAYERS[dark > light]
        return f"The game is over: {winner} wins {max(light, dark)} to {min(light, dark)}"
    mover = PLAYERS[position.to_play]
    if must_pass(position):
        return f"{mover} has no allowed cell and must pass"
    if position.last_action == position.variant.pass_action:
        return f"{PLAYERS[1 - position.to_play]} passed, {mover} to move"
    return f"{mover} to move"


def evaluation_of(position: Position, exact: Exact) -> dict[str, Any]:
    """Return the exact margins of a position.

    Returns:
        ``margin``, Light's points minus Dark's with perfect play, or None if it is not known (yet);
        ``hints``, by action, the margin for the side to move, or None; ``pending``, whether the
        position waits to be solved.
    """
    if position.is_over:
        return {"margin": position.margin, "hints": None, "pending": False}
    solution = exact.get(position)
    if solution is None:
        pending = exact.missing([position]) is not None
        return {"margin": None, "hints": None, "pending": pending}
    sign = 1 if position.to_play == 0 else -1
    return {
        "margin": sign * solution.margin,
        "hints": {str(action): margin for action, margin in solution.action_margins.items()},
        "pending": False,
    }


def marks_of(line: Line, exact: Exact | None) -> list[dict[str, Any]]:
    """Return the actions of a game, with the points that each gives away.

    Args:
        line: the game.
        exact: the solutions found; None if mistakes are not to be marked.

    Returns:
        For each action its ``name``, ``player``, ``pass``, ``loss`` (None if it is not known) and
        ``blunder``, whether it changed the outcome.
    """
    rows = []
    for position, action in zip(line.positions, line.actions, strict=False):
        solution: Solution | None = exact.get(position) if exact else None
        loss, blunder = loss_of(solution, action) if solution else (None, False)
        rows.append(
            {
                "name": line.variant.action_name(action),
                "player": position.to_play,
                "pass": action == line.variant.pass_action,
                "loss": loss,
                "blunder": blunder,
            }
        )
    return rows
