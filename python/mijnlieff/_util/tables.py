"""Tables of reports, for terminals and for notebooks."""

from __future__ import annotations

import html
from collections.abc import Sequence

__all__ = ["html_table", "text_table"]


def text_table(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of cells, the headings first, as aligned lines; only the first column is text."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            f"{cell:>{width}}" if column else f"{cell:<{width}}"
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )


def html_table(title: str, rows: Sequence[Sequence[str]], note: str) -> str:
    """Return the same rows as HTML, a title above and a note below; all texts are escaped."""
    headings, *body = ([html.escape(cell) for cell in row] for row in rows)
    head = "".join(f"<th>{heading}</th>" for heading in headings)
    lines = "".join(
        f"<tr><th>{name}</th>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>"
        for name, *cells in body
    )
    return (
        f"<table><caption>{html.escape(title)}</caption><thead><tr>{head}</tr></thead>"
        f"<tbody>{lines}</tbody></table><p>{html.escape(note)}</p>"
    )
