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
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Self, TextIO

from mijnlieff.errors import BoardError, MijnlieffError, ParseError, VariantError

__all__ = [
    "LineClock",
    "StatusBar",
    "TableReport",
    "html_table",
    "markdown_table",
    "note",
    "print_table",
    "print_wrapped",
    "progress_bar",
    "rich_console",
    "run_program",
    "status_bar",
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


def run_program(name: str, run: Callable[[], int | None], kept: str = "nothing was kept") -> int:
    """Run a program; what ends it early is told in one line on standard error.

    Args:
        name: what the line begins with.
        run: the program; it returns its exit code, or None for 0.
        kept: what Ctrl-C leaves of the work.

    Returns:
        The exit code: 0 for success, 1 for a failure, 2 for wrong arguments, 130 after Ctrl-C. It
        is 1 without a line if the reader of standard output is gone.
    """
    code = 0
    try:
        try:
            code = _exit_code(name, run)
            return code
        finally:
            if sys.stdout is not None:  # None if the shell closed it (>&-)
                sys.stdout.flush()
    except KeyboardInterrupt:
        note(f"{name}: interrupted, {kept}")
        return 130
    except OSError as error:  # of standard output; others have become a code
        # Python flushes stdout again when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if code == 0 and not isinstance(error, BrokenPipeError):  # otherwise a line has told it
            _note_error(name, error)
        return 1


def _exit_code(name: str, run: Callable[[], int | None]) -> int:
    """Return the exit code of a program, or of the error that ends it."""
    try:
        return run() or 0
    except SystemExit as end:
        if end.code is None or isinstance(end.code, int):
            return end.code or 0  # argparse has printed help, version or an error
        _note_error(name, end)  # by the module of a policy
        return 1
    except BrokenPipeError:
        raise
    except (MijnlieffError, ValueError, OSError, MemoryError) as error:
        _note_error(name, error)
        if isinstance(error, BoardError | ParseError | VariantError):
            return 2
        return 1 if isinstance(error, MijnlieffError | OSError | MemoryError) else 2


def _note_error(name: str, error: BaseException) -> None:
    text = str(error)
    if isinstance(error, OSError) and error.filename is not None:
        text = f"{error.filename}: {error.strerror}"  # as the core says it, without the number
    note(f"{name}: error: {' '.join(text.split())}")


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
    clock = clock or LineClock()
    with _status(total, clock, delay=_DELAY_SECONDS, transient=True) as status:

        def advance(count: int) -> None:
            done = status.done + count
            status.update(done, f"{done:,.0f}/{total:,} {unit}")

        yield advance


def status_bar(done: float = 0.0) -> StatusBar:
    """Return a bar of the share of the work that is done, which stays at the end.

    If the terminal cannot show a bar, it prints a line every ten seconds and at the end.

    Args:
        done: share of the work that is done already, 0 to 1.
    """
    return _status(1.0, LineClock(wait=0.0), done)


def _status(
    total: float, clock: LineClock, done: float = 0.0, delay: float = 0.0, transient: bool = False
) -> StatusBar:
    """Return a bar on standard error, or lines if that is not a terminal or rich is missing."""
    console = rich_console(sys.stderr)
    if console is None:
        return _Lines(total, clock, done, transient)
    return _Bar(console, total, done, delay, transient)


class StatusBar(AbstractContextManager["StatusBar"]):
    """How much of some work is done, with a line of text."""

    def __init__(self, total: float, done: float) -> None:
        """Begin with what is done already.

        Args:
            total: all of the work.
            done: how much of it is done.
        """
        self.done = done
        self._total = total

    @abstractmethod
    def update(self, done: float, text: str) -> None:
        """Show the state of the work.

        Args:
            done: how much of it is done, 0 to the total.
            text: a line about it.
        """


class _Lines(StatusBar):
    """Plain lines, when their clock says so, and at the end unless they are transient."""

    def __init__(self, total: float, clock: LineClock, done: float, transient: bool) -> None:
        super().__init__(total, done)
        self._clock = clock
        self._transient = transient

    def update(self, done: float, text: str) -> None:
        self.done = done
        is_end = done >= self._total and not self._transient
        if self._clock.is_due() or is_end:
            note(f"{done / self._total:4.0%}  {text}")

    def __exit__(self, *_: object) -> None:
        """Every line is whole already."""


class _Bar(StatusBar):
    """A bar of rich: percentage, bar, time and a text, which is cut where the terminal ends.

    It is drawn on updates, at most ten times a second, so it does not need a thread.
    """

    def __init__(
        self, console: Any, total: float, done: float, delay: float, transient: bool
    ) -> None:
        from rich.live import Live

        super().__init__(total, done)
        self._text = ""
        self._console = console
        self._start = time.monotonic()
        self._next = self._start + delay
        self._is_shown = False
        # Lines printed to standard error appear above the bar; standard output is left alone.
        self._live = Live(
            console=console, auto_refresh=False, transient=transient, redirect_stdout=False
        )

    def update(self, done: float, text: str) -> None:
        self.done, self._text = done, text
        now = time.monotonic()
        if now >= self._next:
            self._next = now + _REFRESH_SECONDS
            self._draw()

    def __enter__(self) -> Self:
        self.update(self.done, self._text)
        return self

    def __exit__(self, *_: object) -> None:
        """Draw the bar for the last time, or remove it."""
        if self._is_shown:
            self._draw()
            self._live.stop()

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
