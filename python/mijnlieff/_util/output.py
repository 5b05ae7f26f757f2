"""What the package prints: tables on standard output, progress on standard error.

A terminal gets tables and bars by rich where that is installed. If standard error is closed
(``2>&-``), ``sys.stderr`` is None and progress is silent. A plain ``print(..., file=sys.stderr)``
would write to standard output instead.
"""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import Any, Self, TextIO

from mijnlieff.errors import BoardError, MijnlieffError, ParseError, VariantError

__all__ = [
    "LineClock",
    "StatusBar",
    "TableReport",
    "html_table",
    "markdown_table",
    "note",
    "note_error",
    "print_table",
    "print_wrapped",
    "progress_bar",
    "rich_console",
    "text_table",
]

# Seconds between two lines of progress where a bar cannot be drawn, such as in a pipe.
_LINE_SECONDS = 10.0
# Work that takes less time shows no bar.
_DELAY_SECONDS = 0.5
# Between two drawings of a bar.
_REFRESH_SECONDS = 0.1


class TableReport(ABC):
    """A report that prints as a table, and as an HTML table in notebooks."""

    def __str__(self) -> str:
        """Return a table for the terminal."""
        more = (part for title, rows in self._more() for part in ("", title, text_table(rows)))
        return "\n".join([self._title, text_table(self._rows()), self._summary, *more])

    def _repr_html_(self) -> str:
        """Return the same table for notebooks."""
        more = (html_table(title, rows, "") for title, rows in self._more())
        return html_table(self._title, self._rows(), self._summary) + "".join(more)

    def print(self) -> None:
        """Print the tables to standard output, in the form that suits it; see `print_table`."""
        print_table(self._rows(), self._title, self._summary)
        for title, rows in self._more():
            print_table(rows, f"\n{title}")

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain values."""

    @abstractmethod
    def _rows(self) -> list[list[str]]:
        """Return the cells, the headings first."""

    def _more(self) -> list[tuple[str, list[list[str]]]]:
        """Return titles and cells of tables below the first."""
        return []

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


def print_wrapped(line: str) -> None:
    """Print a line, on a terminal in lines that fit and break between words alone."""
    if sys.stdout is None:  # closed by the shell
        return
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 10_000
    indent = " " * 5
    print(textwrap.fill(line, width, subsequent_indent=indent, break_on_hyphens=False))


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
    import html  # a notebook has it already, and `import mijnlieff` does not need it

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


def note(text: str) -> None:
    """Print a line to standard error."""
    if sys.stderr is not None:
        print(text, file=sys.stderr, flush=True)


def note_error(program: str, error: Exception) -> int:
    """Print an error of a command in one line to standard error.

    Args:
        program: the name of the command.
        error: why it ended.

    Returns:
        The exit code: 2 for wrong arguments, 1 for a failure while running.
    """
    note(f"{program}: error: {' '.join(str(error).split())}")
    if isinstance(error, BoardError | ParseError | VariantError):
        return 2
    return 1 if isinstance(error, MijnlieffError | OSError | MemoryError) else 2


class LineClock:
    """When the next line of progress is due, where a bar cannot be drawn: every ten seconds."""

    def __init__(self, wait: float = _LINE_SECONDS) -> None:
        """Start the clock.

        Args:
            wait: seconds before the first line.
        """
        self._next = time.monotonic() + wait

    def is_due(self) -> bool:
        """Whether to print a line now; if so, the next one is due ten seconds later."""
        now = time.monotonic()
        due = now >= self._next
        if due:
            self._next = now + _LINE_SECONDS
        return due


@contextmanager
def progress_bar(
    total: int, unit: str, enabled: bool = True, clock: LineClock | None = None
) -> Iterator[Callable[[int], object]]:
    """Show a bar and yield the function that advances it by a number of units.

    Nothing is shown when `enabled` is false. The bar appears after half a second and disappears at
    the end. Where no bar can be shown, there is a line every ten seconds; bars that follow each
    other share a `clock`, so that many short ones print lines too.
    """
    if not enabled:
        yield lambda count: None
        return
    bar = _Bar.where_possible(total, delay=_DELAY_SECONDS, transient=True)
    shown = bar or _Lines(total, clock or LineClock())

    def advance(count: int) -> None:
        done = shown.done + count
        shown.update(done, f"{done:,.0f}/{total:,} {unit}")

    with bar or nullcontext():
        yield advance


class StatusBar:
    """A bar of the work done so far, with a line of text; a context manager.

    If the terminal cannot show a bar, it prints a line every ten seconds and at the end.
    """

    def __init__(self, done: float = 0.0) -> None:
        """Show the bar.

        Args:
            done: share of the work that is done already, 0 to 1.
        """
        self._bar = _Bar.where_possible(1.0)
        self._lines = _Lines(1.0, LineClock(wait=0.0))
        if self._bar is not None:
            self._bar.update(done, "")

    def update(self, done: float, text: str) -> None:
        """Show the state of the work.

        Args:
            done: share of the work that is done, 0 to 1.
            text: a line about it.
        """
        if self._bar is not None:
            self._bar.update(done, text)
        else:
            self._lines.update(done, text, is_last=done >= 1.0)

    def __enter__(self) -> Self:
        """Return the bar, which is shown already."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the bar, so that later output starts on a new line."""
        if self._bar is not None:
            self._bar.close()


class _Lines:
    """Plain lines, when their clock says so."""

    def __init__(self, total: float, clock: LineClock) -> None:
        self.done = 0.0
        self._total = total
        self._clock = clock

    def update(self, done: float, text: str, is_last: bool = False) -> None:
        """Set the work done, and print a line if it is time to, or the last one."""
        self.done = done
        if self._clock.is_due() or is_last:
            note(f"{done / self._total:4.0%}  {text}")


class _Bar:
    """A bar of rich: percentage, bar, time and a text, which is cut where the terminal ends.

    It is drawn on updates, at most ten times a second, so it does not need a thread.
    """

    def __init__(self, console: Any, total: float, delay: float, transient: bool) -> None:
        from rich.live import Live

        self.done = 0.0
        self._text = ""
        self._total = total
        self._console = console
        self._start = time.monotonic()
        self._next = self._start + delay
        self._is_shown = False
        # Lines printed to standard error appear above the bar; standard output is left alone.
        self._live = Live(
            console=console, auto_refresh=False, transient=transient, redirect_stdout=False
        )

    @classmethod
    def where_possible(
        cls, total: float, delay: float = 0.0, transient: bool = False
    ) -> _Bar | None:
        """Return a bar on standard error, or None if that is not a terminal or rich is missing."""
        console = rich_console(sys.stderr)
        return None if console is None else cls(console, total, delay, transient)

    def update(self, done: float, text: str) -> None:
        """Set the share done and the text, and draw the bar if it is time to."""
        self.done, self._text = done, text
        now = time.monotonic()
        if now >= self._next:
            self._next = now + _REFRESH_SECONDS
            self._draw()

    def close(self) -> None:
        """Draw the bar for the last time, or remove it."""
        if self._is_shown:
            self._draw()
            self._live.stop()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _draw(self) -> None:
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        share = self.done / self._total
        minutes, seconds = divmod(int(time.monotonic() - self._start), 60)
        hours, minutes = divmod(minutes, 60)
        clock = f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes:02}:{seconds:02}"
        width = 20 if self._console.width >= 80 else 6
        text = Text(self._text)
        text.truncate(
            max(0, self._console.width - len(f"100% {clock} ") - width - 1), overflow="ellipsis"
        )
        line = Table.grid(padding=(0, 1))
        line.add_row(
            Text(f"{share:4.0%}"),
            ProgressBar(self._total, self.done, width=width),
            Text(clock),
            text,
        )
        if not self._is_shown:
            self._is_shown = True
            self._live.start()
        self._live.update(line, refresh=True)


def rich_console(stream: TextIO | None) -> Any:
    """Return a console of rich for a terminal, or None.

    It is None for pipes, files and closed streams, on terminals that cannot move the cursor
    (``TERM=dumb``), and where rich is not installed (extra ``terminal``). With ``NO_COLOR`` in the
    environment the console has neither colors nor bold text.
    """
    if stream is None or not stream.isatty() or os.environ.get("TERM") == "dumb":
        return None
    try:
        from rich.console import Console
    except ImportError:
        return None
    return Console(
        file=stream,
        force_terminal=True,
        force_jupyter=False,
        color_system=None if os.environ.get("NO_COLOR") else "auto",
        highlight=False,
    )
