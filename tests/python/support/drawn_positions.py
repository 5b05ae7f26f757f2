"""Positions made up for drawings: just what a drawing reads, on boards of every shape."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from mijnlieff.render.layout import column_name

SIGNS = ("+", "x", "<>", "><")


@dataclass(frozen=True)
class FakeBoard:
    cells: tuple[tuple[int, int], ...]

    @property
    def num_cells(self) -> int:
        return len(self.cells)

    @property
    def width(self) -> int:
        return 1 + max(x for x, _ in self.cells)

    @property
    def height(self) -> int:
        return 1 + max(y for _, y in self.cells)

    @property
    def names(self) -> list[str]:
        return [f"{column_name(x)}{y + 1}" for x, y in self.cells]


@dataclass(frozen=True)
class FakeVariant:
    board: FakeBoard

    @property
    def pass_action(self) -> int:
        return 4 * self.board.num_cells


@dataclass(frozen=True)
class FakePosition:
    """Just what a drawing reads, so that any picture can be asked for, legal or not."""

    variant: FakeVariant
    stones: npt.NDArray[np.int8]
    pieces: npt.NDArray[np.int8] | None
    hands: npt.NDArray[np.int8] | npt.NDArray[np.uint8]
    to_play: int = 0
    is_over: bool = False
    score: tuple[int, int] = (0, 0)
    last_action: int | None = None
    legal: tuple[int, ...] = ()

    def legal_actions(self) -> npt.NDArray[np.int64]:
        return np.array(self.legal, dtype=np.int64)


def board_from(text: str) -> FakeBoard:
    rows = text.split()[::-1]
    return FakeBoard(
        tuple((x, y) for y, row in enumerate(rows) for x, sign in enumerate(row) if sign == "#")
    )


def position_from(
    board: FakeBoard,
    record: str = "",
    open_cells: str = "",
    *,
    copies: int = 2,
    score: tuple[int, int] = (0, 0),
    is_over: bool = False,
) -> FakePosition:
    """Put the stones of a record on the board; none of the rules is asked."""
    names = {name: cell for cell, name in enumerate(board.names)}
    num_cells = board.num_cells
    stones = np.zeros(num_cells, np.int8)
    pieces = np.full(num_cells, -1, np.int8)
    hands = np.full((2, 4), copies, np.uint8)
    last = None
    player = 0
    for word in record.split():
        if word == "pass":
            last = 4 * num_cells
        else:
            matched = re.fullmatch(r"([a-z]+\d+)(\+|x|<>|><)", word)
            assert matched is not None, word
            cell, piece = names[matched[1]], SIGNS.index(matched[2])
            stones[cell], pieces[cell] = player + 1, piece
            hands[player, piece] -= 1
            last = piece * num_cells + cell
        player = 1 - player
    held = np.flatnonzero(hands[player])
    legal = [piece * num_cells + names[name] for piece in held for name in open_cells.split()]
    return FakePosition(
        FakeVariant(board),
        stones,
        pieces,
        hands,
        to_play=player,
        is_over=is_over,
        score=score,
        last_action=last,
        legal=tuple(map(int, legal)),
    )


STANDARD = board_from("#### #### #### ####")
FIRST_FIVE_TURNS = "a1+ a3>< a2+ a4<> b2>< c2+ c3<> c1x d2>< d3+"
WHOLE_GAME = f"{FIRST_FIVE_TURNS} d4x pass b4x pass b3<> b1<>"

POSITIONS = {
    "start": position_from(STANDARD, "", "a1 b1 c1 d1 a2 d2 a3 d3 a4 b4 c4 d4"),
    "middle": position_from(STANDARD, FIRST_FIVE_TURNS, "b3 d1 d4", score=(1, 0)),
    "passed": position_from(
        STANDARD, f"{FIRST_FIVE_TURNS} d4x pass", "b1 d1 b3 b4 c4", score=(2, 0)
    ),
    "over": position_from(STANDARD, WHOLE_GAME, score=(4, 1), is_over=True),
    "single cell": position_from(board_from("#"), "", "a1", copies=255),
    "eight by eight": position_from(
        board_from(" ".join(["########"] * 8)), "a1+ d1>< e2x f3<>", "h8 a8", copies=8
    ),
    "gaps": position_from(
        board_from("##....## ##....## ..####.. ..####.. ....##.. ....##.."),
        "a5+ a6>< b5x c4<> e1+ f1><",
        "e2 f2",
    ),
    "long": position_from(board_from("#" * 64), "a1+ bl1>< aa1x", "b1 c1", copies=8),
    "tall": position_from(board_from(" ".join("#" * 64)), "a1+ a60>< a2x", "a40 a41", copies=8),
    "all at 255": position_from(board_from("## ##"), "", "a1", copies=255, score=(100, 100)),
}
