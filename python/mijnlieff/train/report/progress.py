"""How a run looks while it goes on: one bar on a terminal, plain lines in a file."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Any, Self, TextIO

__all__ = ["Progress"]

# Between two plain lines, seconds.
LINE_SECONDS = 10.0


class Progress:
    """Tells how far a run is, on standard error.

    On a terminal with tqdm installed this is a live bar, otherwise a line every ten seconds.
    """

    def __init__(self, spent: float, stream: TextIO | None = None) -> None:
        """Start the display.

        Args:
            spent: share of the budget that is already spent, 0 to 1.
            stream: where to write; standard error unless given.
        """
        self._stream = sys.stderr if stream is None else stream
        self._bar = _bar(spent, self._stream)
        self._next_line = 0.0

    def update(self, spent: float, text: str) -> None:
        """Show the state of the run.

        Args:
            spent: share of the budget that is spent, 0 to 1.
            text: rates, losses and scores, one line.
        """
        if self._bar is not None:
            self._bar.n = round(100 * spent, 1)
            self._bar.set_postfix_str(text)
        elif time.monotonic() >= self._next_line or spent >= 1.0:
            self._next_line = time.monotonic() + LINE_SECONDS
            self.note(f"{spent:4.0%}  {text}")

    def note(self, text: str) -> None:
        """Print a line of its own.

        Args:
            text: the line.
        """
        if self._bar is not None:
            self._bar.write(text, file=self._stream)
        else:
            print(text, file=self._stream, flush=True)

    def __enter__(self) -> Self:
        """Nothing to do: the display has started."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Leave the terminal in order."""
        if self._bar is not None:
            self._bar.close()


def _bar(spent: float, stream: TextIO) -> Any:
    if not stream.isatty():
        return None
    try:
        from tqdm import tqdm
    except ImportError:
        return None
    return tqdm(
        total=100,
        initial=round(100 * spent, 1),
        file=stream,
        dynamic_ncols=True,
        bar_format="{percentage:3.0f}%|{bar:20}| {elapsed} {postfix}",
    )
