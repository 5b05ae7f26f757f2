"""Several boards beside each other."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest

from mijnlieff import Position
from mijnlieff.render import Gallery, svg

POSITIONS = [Position(), Position().play("a1+")]


def test_every_position_is_drawn_above_its_caption():
    html = Gallery(POSITIONS, ["start", "a1 <+>"], size=100)._repr_html_()
    figures = ElementTree.fromstring(html).findall("figure")
    assert [figure.findtext("figcaption") for figure in figures] == ["start", "a1 <+>"]
    for position, figure in zip(POSITIONS, figures, strict=True):
        assert svg(position, size=100) in html
        assert len(list(figure)) == 2


def test_captions_may_be_left_out():
    gallery = Gallery(iter(POSITIONS))
    assert len(ElementTree.fromstring(gallery._repr_html_())) == 2
    assert repr(gallery) == "<Gallery of 2 positions>"


def test_captions_are_as_many_as_positions():
    with pytest.raises(ValueError, match="2 positions need as many captions, not 1"):
        Gallery(POSITIONS, ["start"])
