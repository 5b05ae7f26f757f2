"""Ctrl-C and polite kills, turned into a wish that a loop can look at between two rounds."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any, Self

__all__ = ["StopSignal"]


class StopSignal:
    """Within the `with` block, the first Ctrl-C or SIGTERM is only noted; a second one interrupts.

    Outside the main thread signals cannot be caught, and nothing changes.

    Attributes:
        number: the signal that came, 0 as long as none has.
    """

    def __init__(self) -> None:
        """No signal has come yet."""
        self.number = 0
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        """Catch the signals."""
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        """Put back what was there."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before.clear()

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.number:
            raise KeyboardInterrupt
        self.number = number
