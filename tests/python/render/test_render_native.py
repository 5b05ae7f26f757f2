"""The drawing of real positions against that of the made-up ones."""

import numpy as np
import pytest

from drawn_positions import POSITIONS
from mijnlieff import Board, Position, Variant
from mijnlieff.render import image, svg
from mijnlieff.render.layout import column_name

RECORD = (
    "1. a1+, a3><; 2. a2+, a4<>; 3. b2><, c2+; 4. c3<>, c1x; 5. d2><, d3+; "
    "6. d4x, pass; 7. b4x, pass; 8. b3<>, b1<> #"
)


@pytest.mark.parametrize(
    ("name", "plies"), [("start", 0), ("middle", 10), ("passed", 12), ("over", 16)]
)
def test_a_real_position_is_drawn_like_the_made_up_one(name: str, plies: int) -> None:
    actions = [w.rstrip(",;") for w in RECORD.replace("#", "").split() if not w[0].isdigit()]
    position = Position()
    for action in actions[:plies]:
        position = position.play(action)
    assert position.score == POSITIONS[name].score
    assert svg(position) == svg(POSITIONS[name])
    assert np.array_equal(image(position), image(POSITIONS[name]))


def test_the_coordinates_are_those_of_the_notation() -> None:
    variant = Variant(Board.from_text("\n".join(["#" * 32] * 2)))
    for cell, (x, y) in enumerate(variant.board.cells):
        assert variant.action_name(cell) == f"{column_name(x)}{y + 1}+"
