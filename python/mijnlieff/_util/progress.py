"""Progress on standard error: a live bar on a terminal by rich, otherwise plain lines or nothing.

If standard error is closed (``2>&-``), ``sys.stderr`` is None and everything here is silent. A
plain ``print(..., file=sys.stderr)`` would write to standard output instead.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self

from mijnlieff._util.terminal import rich_console

__all__ = ["StatusBar", "note", "progress_bar"]

_LINE_SECONDS = 10.0

#: Work that takes less time shows no bar.
_DELAY_SECONDS = 0.5

#: Between two drawings of a bar.
_REFRESH_SECONDS = 0.1


def note(text: str) -> None:
    """Print a line to standard error."""
    if sys.stderr is not None:
        print(text, file=sys.stderr, flush=True)


@contextmanager
def progress_bar(total: int, unit: str, enabled: bool = True) -> Iterator[Callable[[int], object]]:
    """Show a bar and yield the function that advances it by a number of units.

    Nothing is shown when `enabled` is false, or where no bar can be shown. The bar appears after
    half a second and disappears at the end.
    """
    bar = _Bar.where_possible(total, delay=_DELAY_SECONDS, transient=True) if enabled else None
    if bar is None:
        yield lambda count: None
        return
    shown = bar

    def advance(count: int) -> None:
        done = shown.done + count
        shown.update(done, f"{done:,.0f}/{total:,} {unit}")

    with bar:
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
        self._next_line = 0.0
        self._bar = _Bar.where_possible(1.0)
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
        elif time.monotonic() >= self._next_line or done >= 1.0:
            self._next_line = time.monotonic() + _LINE_SECONDS
            note(f"{done:4.0%}  {text}")

    def __enter__(self) -> Self:
        """Return the bar, which is shown already."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Close the bar, so that later output starts on a new line."""
        if self._bar is not None:
            self._bar.close()


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
