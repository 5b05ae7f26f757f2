"""Whether calls stop on Ctrl-C, and let other threads run."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress

import pytest

needs_signals = pytest.mark.skipif(
    sys.platform == "win32", reason="Windows has no such signals between processes"
)

PATIENCE = 60
"""How many seconds a program may take to end after Ctrl-C; it takes 0.2 on a quiet machine."""

# Python handles signals between two instructions, so after a call that does not check for them it
# handles one, however many came meanwhile.
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
    """What a program prints after "ready", if it gets Ctrl-C repeatedly after some seconds.

    The third one raises `KeyboardInterrupt`, so it stops only calls that check for signals while
    they work. Tests that use this function need `needs_signals`.
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
    """Whether another thread runs during a call.

    Python does not switch threads for an hour meanwhile, so the other thread runs only if the call
    releases the GIL. On a busy machine it may wake up too late, so the call is repeated.
    """
    call()  # the first call may import modules and open files, which releases the GIL too
    ticks, done = 0, False

    def tick() -> None:
        nonlocal ticks
        while not done:
            ticks += 1
            time.sleep(0.001)

    other = threading.Thread(target=tick)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(3600)
    try:
        other.start()
        for _ in range(20):
            before = ticks
            call()
            if ticks > before:
                return True
        return False
    finally:
        done = True
        sys.setswitchinterval(interval)
        other.join()


def is_stopped_at_its_end(call: Callable[[], object]) -> bool:
    """Press Ctrl-C during a call, and return whether it came before the end.

    Another thread presses it, as soon as the call releases the GIL. Python does not switch threads
    for an hour meanwhile, so if that thread wakes up too late, it is after the call.

    Args:
        call: releases the GIL once, for longer than a thread takes to wake up, but for less than
            50 ms. So it looks for signals only at its end.
    """
    pressing = threading.Event()

    def press() -> None:
        pressing.wait()
        signal.raise_signal(signal.SIGINT)

    other = threading.Thread(target=press)
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    interval = sys.getswitchinterval()
    sys.setswitchinterval(3600)
    try:
        other.start()
        pressing.set()
        call()
        with suppress(KeyboardInterrupt):
            other.join()
        return False
    except KeyboardInterrupt:
        return True
    finally:
        other.join()
        sys.setswitchinterval(interval)
        signal.signal(signal.SIGINT, handler)
