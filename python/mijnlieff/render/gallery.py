"""Several boards side by side, for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import SupportsIndex

from mijnlieff._mijnlieff import Position
from mijnlieff._util.arguments import check_type, integer_from
from mijnlieff.render.scene import scene
from mijnlieff.render.sizes import pixels, size_of
from mijnlieff.render.to_svg import FONTS, element

__all__ = ["Gallery"]

_GAP = 16
_LINE = 20
_FONT = 14


class Gallery:
    """Positions in rows, each above its caption, which a notebook shows as a drawing.

    The drawing is one SVG, like that of a single position, because every notebook viewer shows SVG.

    Args:
        positions: the positions to draw.
        captions: one text for each position, of one or more lines; None means no captions.
        size: length of each drawing's longer side in pixels, 32..8192.
        columns: number of positions in a row.

    Raises:
        ValueError: the numbers of captions and positions differ, `columns` is below 1, or `size` is
            out of range.
        TypeError: an item is not a `Position`, a caption not text, or a number not an integer.
    """

    def __init__(
        self,
        positions: Iterable[Position],
        captions: Iterable[str] | None = None,
        size: SupportsIndex = 320,
        columns: SupportsIndex = 4,
    ) -> None:
        """Check the arguments."""
        self.positions: Sequence[Position] = tuple(positions)
        self.captions: Sequence[str] = (
            ("",) * len(self.positions) if captions is None else tuple(captions)
        )
        for number, position in enumerate(self.positions):
            check_type(f"position {number}", position, Position)
        for number, caption in enumerate(self.captions):
            check_type(f"caption {number}", caption, str)
        self.size = size_of(size)
        self.columns = integer_from("columns", columns, 1)
        if len(self.captions) != len(self.positions):
            raise ValueError(
                f"{len(self.positions)} positions need {len(self.positions)} captions, "
                f"not {len(self.captions)}"
            )

    def __repr__(self) -> str:
        """Return the number of positions, for terminals."""
        return f"<Gallery of {len(self.positions)} positions>"

    def _repr_svg_(self) -> str:
        """Return all drawings as one SVG element."""
        sizes = [pixels(scene(position), self.size) for position in self.positions]
        lines = max((len(caption.split("\n")) for caption in self.captions), default=0)
        width = max((width for width, _ in sizes), default=0)
        height = max((height for _, height in sizes), default=0) + lines * _LINE
        parts = []
        for number, position in enumerate(self.positions):
            row, column = divmod(number, self.columns)
            middle, top = column * (width + _GAP) + width / 2, row * (height + _GAP)
            own_width, own_height = sizes[number]
            place = f'x="{middle - own_width / 2:g}" y="{top}"'
            parts.append(element(position, self.size, place))
            for line, text in enumerate(self.captions[number].split("\n"), start=1):
                baseline = top + own_height + line * _LINE - _LINE // 4
                parts.append(f'<text x="{middle:g}" y="{baseline}">{escape(text)}</text>')
        whole_width = min(self.columns, len(sizes)) * (width + _GAP)
        whole_height = -(-len(sizes) // self.columns) * (height + _GAP)
        opening = (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {whole_width} {whole_height}" '
            f'width="{whole_width}" height="{whole_height}" style="max-width:100%;height:auto" '
            f'font-family="{FONTS}" font-size="{_FONT}" text-anchor="middle" fill="#808080">'
        )
        return "\n".join([opening, *parts, "</svg>"])
