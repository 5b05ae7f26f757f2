"""Programs that get Ctrl-C."""

from __future__ import annotations

import signal
import subprocess
import sys
import time


def last_words_when_interrupted(code: str, after: float) -> str:
    """What a program says within a second of Ctrl-C, which it gets some seconds after "ready"."""
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as run:
        assert run.stdout.readline() == "ready\n"
        time.sleep(after)
        start = time.monotonic()
        run.send_signal(signal.SIGINT)
        words = run.stdout.readline()
        # 0.2 s on a quiet machine.
        assert time.monotonic() - start < 1
    return words
