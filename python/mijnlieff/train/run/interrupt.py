"""Turns SIGINT and SIGTERM into a flag that the training loop polls."""

from __future__ import annotations

import signal
import threading
from types import FrameType, TracebackType
from typing import Any, Self

__all__ = ["StopSignal"]


class StopSignal:
    """Context manager: the first SIGINT or SIGTERM sets a flag, a second raises KeyboardInterrupt.

    Python only lets the main thread handle signals; in other threads this does nothing.

    Attributes:
        number: the number of the signal that arrived, 0 before.
    """

    def __init__(self) -> None:
        """Start without a signal."""
        self.number = 0
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        """Install the handlers."""
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
        """Restore the handlers from before."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before.clear()

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.number:
            raise KeyboardInterrupt
        self.number = number
