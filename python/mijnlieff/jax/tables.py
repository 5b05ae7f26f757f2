"""The constants of a variant that a step needs, computed once by NumPy.

A set of cells is made of words of 32 bits, one word on boards of up to 32 cells and two on larger
ones, as JAX has no 64-bit integers unless they are enabled.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import Position, Variant, observe_batch

__all__ = ["WORD_BITS", "Run", "Tables", "cells_of", "tables_of", "words_of"]

WORD_BITS = 32

_LINES = ((1, 0), (0, 1), (1, 1), (-1, 1))


def words_of(cells: NDArray[np.bool_]) -> NDArray[np.uint32]:
    """Return the words of sets given by cell, bool ``(..., num_cells)``, as ``(..., words)``."""
    num_cells = cells.shape[-1]
    padding = [(0, 0)] * (cells.ndim - 1) + [(0, -num_cells % WORD_BITS)]
    groups = np.pad(cells, padding).reshape(*cells.shape[:-1], -1, WORD_BITS).astype(np.uint32)
    words: NDArray[np.uint32] = (groups << np.arange(WORD_BITS, dtype=np.uint32)).sum(-1, np.uint32)
    return words


def cells_of(words: NDArray[np.uint32], num_cells: int) -> NDArray[np.bool_]:
    """Return the sets of words ``(..., words)`` by cell, bool ``(..., num_cells)``."""
    cells = np.arange(num_cells, dtype=np.uint32)
    return np.asarray(words[..., cells // WORD_BITS] >> cells % WORD_BITS & 1, bool)


@dataclass(frozen=True)
class Run:
    """Triples of cells in line whose numbers are equally far apart.

    A triple is a cell of `first`, the one `second` numbers later, and the one `third` numbers
    later.
    """

    first: NDArray[np.uint32]
    second: int
    third: int


@dataclass(frozen=True)
class Tables:
    """The constants of a variant.

    Attributes:
        num_cells: cells of the board.
        num_words: words of a set of cells.
        copies: pieces of each type that each player starts with.
        all_cells: words of the set of all cells ``(num_words,)``.
        reach: words of the cells that each action allows next, ``(num_actions, num_words)``,
            occupied ones included.
        opening: words of the cells where Light may open.
        opening_pieces: bool ``(4,)``, which pieces Light may open with.
        runs: all triples of cells in line.
        grid: int ``(height, width)``, the cell at each place, -1 where there is none.
    """

    num_cells: int
    num_words: int
    copies: int
    all_cells: NDArray[np.uint32]
    reach: NDArray[np.uint32]
    opening: NDArray[np.uint32]
    opening_pieces: NDArray[np.bool_]
    runs: tuple[Run, ...]
    grid: NDArray[np.int64]


@lru_cache(maxsize=256)
def tables_of(variant: Variant) -> Tables:
    """Return the tables of a variant."""
    board = variant.board
    numbers = {place: cell for cell, place in enumerate(board.cells)}
    num_cells = board.num_cells
    # The rules are those of the core: what one piece on an empty board allows, of which there is
    # nothing under the piece itself, and which first actions are legal.
    empty = Position(Variant(board, "anywhere", variant.copies))
    placed = [empty.play(action) for action in range(4 * num_cells)]
    allowed = observe_batch(placed, "flat", "uint8")[:, 2 * num_cells : 3 * num_cells]
    reach = np.concatenate([allowed == 1, np.ones((1, num_cells), bool)])  # a pass allows all
    opening = Position(variant).action_mask()[:-1].reshape(4, num_cells)
    grid = np.full((board.height, board.width), -1)
    for (x, y), cell in numbers.items():
        grid[y, x] = cell
    all_cells = words_of(np.ones(num_cells, bool))
    return Tables(
        num_cells=num_cells,
        num_words=len(all_cells),
        copies=variant.copies,
        all_cells=all_cells,
        reach=words_of(reach),
        opening=words_of(opening.max(axis=0) == 1),
        opening_pieces=opening.max(axis=1) == 1,
        runs=_runs(numbers),
        grid=grid,
    )


def _ray(
    numbers: dict[tuple[int, int], int], place: tuple[int, int], step: tuple[int, int]
) -> list[int]:
    """Return the cells from a place on in one direction, up to the first gap."""
    cells: list[int] = []
    x, y = place
    while (cell := numbers.get((x + step[0], y + step[1]))) is not None:
        cells.append(cell)
        x, y = x + step[0], y + step[1]
    return cells


def _runs(numbers: dict[tuple[int, int], int]) -> tuple[Run, ...]:
    """Return the triples of cells in line, grouped by the distances of their numbers.

    A triple of one player's stones is a point, as a run of n stones has n - 2 of them. On a full
    rectangle, the triples of each direction are one group.
    """
    groups: dict[tuple[int, int], list[int]] = {}
    for step in _LINES:
        for place, cell in numbers.items():
            line = _ray(numbers, place, step)[:2]
            if len(line) == 2:
                groups.setdefault((line[0] - cell, line[1] - cell), []).append(cell)
    runs = []
    for (second, third), cells in sorted(groups.items()):
        first = np.zeros(len(numbers), bool)
        first[cells] = True
        runs.append(Run(words_of(first), second, third))
    return tuple(runs)
