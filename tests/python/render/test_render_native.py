"""The drawing of real positions against that of the made-up ones."""

import numpy as np
import pytest

from drawn_positions import POSITIONS
from mijnlieff import Board, Variant
from mijnlieff.render import image, svg
from mijnlieff.render.layout import column_name
from played import example


@pytest.mark.parametrize(
    ("name", "plies"), [("start", 0), ("middle", 10), ("passed", 12), ("over", 16)]
)
def test_a_real_position_is_drawn_like_the_made_up_one(name: str, plies: int) -> None:
    position = example(plies)
    assert position.score == POSITIONS[name].score
    assert svg(position) == svg(POSITIONS[name])
    assert np.array_equal(image(position), image(POSITIONS[name]))


def test_the_coordinates_are_those_of_the_notation() -> None:
    variant = Variant(Board.from_text("\n".join(["#" * 32] * 2)))
    for cell, (x, y) in enumerate(variant.board.cells):
        assert variant.action_name(cell) == f"{column_name(x)}{y + 1}+"
