"""Reports as tables, for terminals and for notebooks."""

from __future__ import annotations

import html
from abc import ABC, abstractmethod
from collections.abc import Sequence

__all__ = ["TableReport", "html_table", "text_table"]


class TableReport(ABC):
    """A report that prints as a table, and as an HTML table in notebooks."""

    def __str__(self) -> str:
        """Return a table for the terminal."""
        return "\n".join([self._title, text_table(self._rows()), self._summary])

    def _repr_html_(self) -> str:
        """Return the same table for notebooks."""
        return html_table(self._title, self._rows(), self._summary)

    @abstractmethod
    def _rows(self) -> list[list[str]]:
        """Return the cells, the headings first."""

    @property
    @abstractmethod
    def _title(self) -> str:
        """The line above the table."""

    @property
    @abstractmethod
    def _summary(self) -> str:
        """The line below the table."""


def text_table(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of cells, the headings first, as aligned lines; the first column is text."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    return "\n".join(
        "  ".join(
            f"{cell:>{width}}" if column else f"{cell:<{width}}"
            for column, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    )


def html_table(title: str, rows: Sequence[Sequence[str]], note: str) -> str:
    """Return rows as HTML with a title above and a note below; all texts are escaped."""
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
