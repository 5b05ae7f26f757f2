"""Programs that get Ctrl-C, and calls that let other threads run."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable

import pytest

needs_signals = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows has no such signals between processes"
)


def last_words_when_interrupted(code: str, after: float) -> str:
    """What a program says within a second of Ctrl-C, which it gets some seconds after "ready".

    Tests that call it need `needs_signals`.
    """
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout.readline() == "ready\n"
        time.sleep(after)
        start = time.monotonic()
        run.send_signal(signal.SIGINT)
        words = run.stdout.readline()
        # 0.2 s on a quiet machine.
        assert time.monotonic() - start < 1
    return words


def ticks_of_another_thread(call: Callable[[], object]) -> int:
    """How often one thread wakes up, a millisecond at a time, while another one is in a call."""
    done = threading.Event()
    work = threading.Thread(target=lambda: (call(), done.set()))
    work.start()
    ticks = 0
    while not done.is_set():
        ticks += 1
        time.sleep(0.001)
    work.join()
    return ticks
