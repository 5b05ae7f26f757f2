"""The Rust tests, run so that a change is noticed soon: the short ones first, up to a failure."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from collections import Counter
from pathlib import Path

from tools.release.mutants.common import bounds

NOT_RUN = "imports::"
"""These tests read the sources, which are not as written here."""
SLOW = 0.5
"""Seconds of processor time; a test that takes longer runs after all others."""
MEMORY = 16 << 30
"""Bytes of addresses; a change that asks for more fails."""
MOST_LIKELY = 8

Batch = tuple[int, list[str], int]
"""The number of a program, names of its tests, and a limit of processor time in seconds."""
Test = tuple[int, str]
"""The number of a program, and a name."""


class Suite:
    """Test programs, and how long their tests take without a change.

    Attributes:
        batches: all tests, in the order of running.
    """

    def __init__(self, programs: list[Path], tree: Path, times: Path) -> None:
        """Measure every test, one after the other, unless the file of times has all."""
        self.tree = tree
        known: dict[str, float] = json.loads(times.read_text()) if times.exists() else {}
        timed = []
        for number, program in enumerate(programs):
            listed = subprocess.check_output([program, "--list"], text=True, cwd=tree)
            names = [it.removesuffix(": test") for it in listed.splitlines() if ": test" in it]
            names = [it for it in names if not it.startswith(NOT_RUN)]
            if any(it not in known for it in names):
                known |= self._seconds(program, names)
            for slow in (False, True):
                chosen = [it for it in names if (known[it] > SLOW) == slow]
                timed.append((slow, sum(known[it] for it in chosen), number, chosen))
        times.write_text(json.dumps(known))
        timed.sort()
        self.batches: list[Batch] = [
            (number, names, 10 + 4 * int(seconds)) for _, seconds, number, names in timed if names
        ]

    def _seconds(self, program: Path, names: list[str]) -> dict[str, float]:
        """Return about how much processor time each test takes."""
        command = [program, "--exact", "--test-threads", "1", *names]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=self.tree)
        assert process.stdout
        seconds = {}
        start = last = time.monotonic()
        for line in process.stdout:
            if line.startswith("test ") and " ... " in line:
                now = time.monotonic()
                seconds[line.split()[1]] = now - last
                last = now
        _, status, usage = os.wait4(process.pid, 0)
        if status or len(seconds) != len(names):
            raise RuntimeError(f"the tests of {program} fail without a change")
        share = (usage.ru_utime + usage.ru_stime) / (time.monotonic() - start)
        return {name: share * it for name, it in seconds.items()}

    def likely(self, noticed: Counter[Test]) -> list[Batch]:
        """Return the tests that noticed most changes, as batches."""
        most = [it for it, _ in noticed.most_common(MOST_LIKELY)]
        numbers = sorted({number for number, _ in most}, reverse=True)
        return [(it, [name for number, name in most if number == it], 10) for it in numbers]

    def run(self, program: Path, batch: Batch, mutant: int = 0) -> tuple[str, str]:
        """Return whether tests notice a change: caught, timeout or missed, and the first to."""
        _, names, limit = batch
        bound = bounds(limit, MEMORY)

        def prepare() -> None:
            bound()
            signal.alarm(20 * limit)  # for threads that wait for each other

        process = subprocess.Popen(
            [program, "--exact", *names],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            cwd=self.tree,
            env=os.environ | {"MUTANT": str(mutant)},
            preexec_fn=prepare,
        )
        assert process.stdout
        for line in process.stdout:
            if line.startswith("test ") and line.rstrip().endswith("FAILED"):
                process.kill()
                process.wait()
                return "caught", line.split()[1]
        status = process.wait()
        if status in (-signal.SIGXCPU, -signal.SIGALRM):
            return "timeout", ""
        return ("caught" if status else "missed"), ""
