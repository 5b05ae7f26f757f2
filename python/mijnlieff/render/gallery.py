"""Several boards beside each other, for notebooks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape

from .shapes import Drawable
from .to_svg import svg

__all__ = ["Gallery"]


class Gallery:
    """Positions in rows that wrap, each above its caption; draws itself in a notebook.

    Args:
        positions: what to draw.
        captions: one text for each; none unless given.
        size: length of each drawing's longer side in pixels, 32..8192.

    Raises:
        ValueError: not as many captions as positions.
    """

    def __init__(
        self,
        positions: Iterable[Drawable],
        captions: Iterable[str] | None = None,
        size: int = 260,
    ) -> None:
        """Check and keep them."""
        self.positions: Sequence[Drawable] = tuple(positions)
        self.captions: Sequence[str] = (
            ("",) * len(self.positions) if captions is None else tuple(captions)
        )
        self.size = size
        if len(self.captions) != len(self.positions):
            raise ValueError(
                f"{len(self.positions)} positions need as many captions, not {len(self.captions)}"
            )

    def __repr__(self) -> str:
        """Return how many there are, for where nothing can be drawn."""
        return f"<Gallery of {len(self.positions)} positions>"

    def _repr_html_(self) -> str:
        """Return the drawings as an HTML element."""
        figures = "".join(
            f'<figure style="margin:0;text-align:center">{svg(position, size=self.size)}'
            f"<figcaption>{escape(caption)}</figcaption></figure>"
            for position, caption in zip(self.positions, self.captions, strict=True)
        )
        return f'<div style="display:flex;flex-wrap:wrap;gap:16px">{figures}</div>'
