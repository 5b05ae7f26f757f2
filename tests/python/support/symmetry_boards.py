"""One board for each group of symmetries, and one on which different symmetries do the same."""

import pytest

from mijnlieff import Board, Variant

BOARDS = {
    "all": "####\n####\n####\n####",
    "rotations": ".#..\n.###\n###.\n..#.",
    "two mirrors": "####\n####",
    "two diagonals": "##..\n##..\n..##\n..##",
    "half turn": ".##\n.#.\n##.",
    "one mirror": "#.#\n.#.\n###",
    "none": "###.\n#...",
    "one row": "####",
}
EACH_BOARD = pytest.mark.parametrize("board", BOARDS)


def variant_of(board: str) -> Variant:
    return Variant(Board.from_text(BOARDS[board]), "anywhere", 2)
