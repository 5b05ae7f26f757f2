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

PATIENCE = 60
"""Seconds that a program gets to end after Ctrl-C: 0.2 on a quiet machine."""

# A call that lasts until it is done, whatever signals come, gets only one of them, at its end.
THIRD_SIGNAL = """
import signal
signals = 0
def count(*_):
    global signals
    signals += 1
    if signals == 3: raise KeyboardInterrupt
signal.signal(signal.SIGINT, count)
"""


def last_words_when_interrupted(code: str, after: float) -> str:
    """What a program says after Ctrl-C, which it gets again and again some seconds after "ready".

    The third one raises `KeyboardInterrupt`, so a call is stopped only if it looks for signals
    while it works. Tests that call it need `needs_signals`.
    """
    command = [sys.executable, "-c", THIRD_SIGNAL + code]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as run:
        try:
            assert run.stdout.readline() == "ready\n"
            time.sleep(after)
            for _ in range(PATIENCE * 20):
                run.send_signal(signal.SIGINT)
                try:
                    return run.communicate(timeout=0.05)[0]
                except subprocess.TimeoutExpired:
                    pass
            raise TimeoutError(f"not ended {PATIENCE} s after Ctrl-C")
        finally:
            run.kill()


def lets_other_threads_run(call: Callable[[], object]) -> bool:
    """Whether another thread gets a turn during a call.

    Python's own changes of turn are put off for an hour, so another thread has to wait until the
    call hands its turn over. On a busy machine that thread may wake up too late, hence the
    repetitions.
    """
    call()  # what it imports and opens for the first time hands turns over, too
    turns, done = 0, False

    def take_turns() -> None:
        nonlocal turns
        while not done:
            turns += 1
            time.sleep(0.001)

    other = threading.Thread(target=take_turns)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(3600)
    try:
        other.start()
        for _ in range(20):
            before = turns
            call()
            if turns > before:
                return True
        return False
    finally:
        done = True
        sys.setswitchinterval(interval)
        other.join()
