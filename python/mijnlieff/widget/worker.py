"""A thread that works while there is work."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from typing import Any, TypeAlias

from mijnlieff._mijnlieff import Stop

__all__ = ["Job", "Worker"]

Job: TypeAlias = tuple[Callable[..., None], *tuple[Any, ...]]
"""A function and its arguments, but for the first: that is the `Stop` in which it works."""


class Worker:
    """Runs jobs, one after another, in a thread that ends when there are none left.

    A job that is no longer the next one is stopped. An error of a job, or of looking for one in the
    thread, goes to `threading.excepthook` as if it had ended the thread. It does not end the
    worker, which goes on when it is woken again.

    Args:
        name: the name of the thread.
        next_job: called in any thread; it returns the next job, or None.
    """

    def __init__(self, name: str, next_job: Callable[[], Job | None]) -> None:
        """Make a worker without a thread."""
        self._name = name
        self._next_job = next_job
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._asked = False
        self._running: tuple[Job, Stop] | None = None

    def wake(self) -> None:
        """Look for jobs, now or after the one that runs, which is stopped if it is not wanted."""
        with self._lock:
            self._asked = True
            if self._thread is None:
                thread = threading.Thread(target=self._run, name=self._name)
                thread.start()  # raises if the system has no more threads
                self._thread = thread
        self.drop_unwanted()

    def drop_unwanted(self) -> None:
        """Stop the job that runs, unless it is still the next one."""
        running = self._running
        if running is not None and running[0] != self._next_job():
            running[1].set()

    def join(self, seconds: float) -> bool:
        """Wait until there is no work; return False if that takes longer than the time given."""
        thread = self._thread
        if thread is not None:
            thread.join(seconds)
            return not thread.is_alive()
        return True

    def _run(self) -> None:
        while True:
            with self._lock:
                self._asked = False
            if self._has_worked():
                continue
            with self._lock:
                if not self._asked:
                    self._thread = None
                    return

    def _has_worked(self) -> bool:
        """Run the next job; return False if there was none, or after an error."""
        try:
            job = self._next_job()
            if job is not None:
                stop = Stop()
                self._running = job, stop
                self.drop_unwanted()  # it could not be stopped before
                job[0](stop, *job[1:])
        except BaseException:
            raised = threading.ExceptHookArgs((*sys.exc_info(), threading.current_thread()))
            threading.excepthook(raised)
            return False
        finally:
            self._running = None
        return job is not None
