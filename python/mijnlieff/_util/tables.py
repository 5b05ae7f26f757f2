"""Reports as tables, for terminals, for pipes, for notebooks and as Markdown."""

from __future__ import annotations

import html
import shutil
import sys
import textwrap
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any

from mijnlieff._util.terminal import rich_console

__all__ = ["TableReport", "html_table", "markdown_table", "print_table", "text_table"]


class TableReport(ABC):
    """A report that prints as a table, and as an HTML table in notebooks."""

    def __str__(self) -> str:
        """Return a table for the terminal."""
        return "\n".join([self._title, text_table(self._rows()), self._summary])

    def _repr_html_(self) -> str:
        """Return the same table for notebooks."""
        return html_table(self._title, self._rows(), self._summary)

    def print(self) -> None:
        """Print the table to standard output, in the form that suits it; see `print_table`."""
        print_table(self._rows(), self._title, self._summary)

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


def print_table(rows: Sequence[Sequence[str]], title: str, note: str = "") -> None:
    """Print rows of cells, the headings first, to standard output.

    On a terminal it is a table by rich if that is installed. One that is wider than the terminal
    becomes a list with a line for each cell. In pipes and files it is always `text_table`.

    Args:
        rows: the cells; the first column is text.
        title: a line above the table.
        note: lines below the table.
    """
    if sys.stdout is None:
        return
    console = rich_console(sys.stdout)
    if console is not None and _print_by_rich(console, rows, title, note):
        return
    parts = [title, text_table(rows), note]
    if sys.stdout.isatty():
        width = shutil.get_terminal_size().columns
        if len(parts[1].partition("\n")[0]) > width:
            parts[1] = _text_list(rows)
        parts[::2] = (
            "\n".join(textwrap.fill(line, width) for line in part.splitlines())
            for part in parts[::2]
        )
    print("\n".join(filter(None, parts)))


def _print_by_rich(console: Any, rows: Sequence[Sequence[str]], title: str, note: str) -> bool:
    """Print the table if it is not wider than the terminal; otherwise return False."""
    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(
        box=SIMPLE_HEAD,
        show_edge=False,
        padding=(0, 1, 0, 0),
    )
    for column, heading in enumerate(rows[0]):
        table.add_column(Text(heading), justify="right" if column else "left", no_wrap=True)
    for row in rows[1:]:
        table.add_row(*map(Text, row))
    # With the options of the console, the measured width would never exceed that of the console.
    options = console.options.update_width(10_000)
    if console.measure(table, options=options).maximum > console.width:
        return False
    # Not as the title of the table, which rich would wrap to the width of the table.
    console.print(Text(title, "bold"))
    console.print(table)
    if note:
        console.print(Text(note))
    return True


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


def _text_list(rows: Sequence[Sequence[str]]) -> str:
    """Return rows of cells, the headings first, with a line for each cell, for narrow terminals."""
    headings, *body = rows
    width = max(map(len, headings[1:]))
    return "\n".join(
        "\n".join(
            [
                row[0],
                *(
                    f"  {name:<{width}}  {cell}"
                    for name, cell in zip(headings[1:], row[1:], strict=True)
                ),
            ]
        )
        for row in body
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


def markdown_table(
    headings: Sequence[str], rows: Iterable[Sequence[str]], num_texts: int = 1
) -> str:
    """Return a Markdown table with a newline at its end.

    Args:
        headings: of the columns.
        rows: the cells, without the headings.
        num_texts: the number of columns of text, which come first; the others are numbers.
    """
    rule = ["---"] * num_texts + ["---:"] * (len(headings) - num_texts)
    return "".join(f"| {' | '.join(row)} |\n" for row in (headings, rule, *rows))
