"""Several boards beside each other."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from mijnlieff import Board, Position, Variant
from mijnlieff.render import Gallery, svg

SVG = "{http://www.w3.org/2000/svg}"
START = Position()
LARGER = Position(Variant(Board.from_blocks([(0, 0), (1, 2), (2, 4), (3, 6)])))


def drawn(gallery):
    return ElementTree.fromstring(gallery._repr_svg_())


def frame(element):
    return [float(element.get(name)) for name in ("x", "y", "width", "height")]


def test_every_position_is_drawn_as_by_itself():
    boards = drawn(Gallery([START, START.play("a1+")], size=100)).findall(SVG + "svg")
    for board, position in zip(boards, [START, START.play("a1+")], strict=True):
        alone = ElementTree.fromstring(svg(position, size=100))
        assert [ElementTree.tostring(part) for part in board] == [
            ElementTree.tostring(part) for part in alone
        ]
        assert (board.get("viewBox"), board.get("height")) == (alone.get("viewBox"), "100")


def test_drawings_and_captions_keep_apart_and_inside():
    gallery = Gallery([START, LARGER, START], ["one\n<line>", "two", "three"], columns=2)
    whole = drawn(gallery)
    boards, texts = whole.findall(SVG + "svg"), whole.findall(SVG + "text")
    assert [text.text for text in texts] == ["one", "<line>", "two", "three"]
    frames = [frame(board) for board in boards]
    (x1, y1, w1, h1), (x2, y2, w2, h2), (x3, y3, _, h3) = frames
    assert y1 == y2 == 0 and x1 + w1 < x2
    assert x3 == x1 and y3 > max(h1, h2)
    under = [(float(text.get("x")), float(text.get("y"))) for text in texts]
    assert under[0][0] == x1 + w1 / 2 and h1 < under[0][1] < under[1][1] < y3
    assert under[2][0] == x2 + w2 / 2 and h2 < under[2][1] < y3
    assert y3 + h3 < under[3][1] < float(whole.get("height"))
    assert x2 + w2 < float(whole.get("width"))


def test_captions_may_be_left_out():
    assert len(drawn(Gallery(iter([START, LARGER]))).findall(SVG + "svg")) == 2
    assert repr(Gallery(iter([START, LARGER]))) == "<Gallery of 2 positions>"
    assert len(drawn(Gallery([]))) == 0


def test_captions_are_as_many_as_positions():
    with pytest.raises(ValueError, match="1 positions need 1 captions, not 2"):
        Gallery([START], ["start", "end"])


def test_wrong_arguments_are_told_before_anything_is_drawn():
    for arguments, error, words in (
        (([START, Variant()],), TypeError, r"position 1 must be a Position, not Variant\("),
        (([START], [5]), TypeError, "caption 0 must be a str, not 5"),
        (([START], None, "x"), TypeError, "size must be an integer, not 'x'"),
        (([], None, 31), ValueError, "size must be 32 to 8192 pixels, not 31"),
    ):
        with pytest.raises(error, match=words):
            Gallery(*arguments)


def test_there_is_a_column():
    with pytest.raises(ValueError, match="columns must be at least 1, not 0"):
        Gallery([START], columns=0)
    with pytest.raises(TypeError, match="columns must be an integer, not True"):
        Gallery([START], columns=True)
