"""Progress on standard error: a live bar on a terminal with tqdm, otherwise plain lines or nothing.

If standard error is closed (``2>&-``), ``sys.stderr`` is None and everything here is silent. A
plain ``print(..., file=sys.stderr)`` would write to standard output instead.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any, Self, TextIO

__all__ = ["StatusBar", "note", "progress_bar"]

_LINE_SECONDS = 10.0


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
    bar = None
    if enabled:
        bar = _bar(sys.stderr, total=total, unit=f" {unit}", delay=0.5, leave=False)
    if bar is None:
        yield lambda count: None
        return
    with bar:
        yield bar.update


class StatusBar:
    """A bar of the work done so far, with a line of text; a context manager.

    Where no bar can be shown, it prints a line every ten seconds, and at the end of the work.
    """

    def __init__(self, done: float = 0.0) -> None:
        """Show the bar.

        Args:
            done: share of the work that is done already, 0 to 1.
        """
        self._next_line = 0.0
        self._bar = _bar(
            sys.stderr,
            total=1.0,
            initial=done,
            dynamic_ncols=True,
            bar_format="{percentage:3.0f}%|{bar:20}| {elapsed} {postfix}",
        )

    def update(self, done: float, text: str) -> None:
        """Show the state of the work.

        Args:
            done: share of the work that is done, 0 to 1.
            text: a line about it.
        """
        if self._bar is not None:
            self._bar.n = done
            self._bar.set_postfix_str(text)
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


def _bar(stream: TextIO | None, **options: Any) -> Any:
    """A bar of tqdm, or None without tqdm or without a terminal."""
    if stream is None or not stream.isatty():
        return None
    try:
        from tqdm import tqdm
    except ImportError:
        return None
    return tqdm(file=stream, **options)
