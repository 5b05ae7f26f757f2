"""The Rust tests, run so that a change is noticed soon: the short ones first, up to a failure."""

from __future__ import annotations

import os
import signal
import subprocess
import time
from pathlib import Path

from tools.release.mutants.common import bounds

NOT_RUN = "imports::"
"""These tests read the sources, which are not as written here."""
SLOW = 0.5
"""Seconds; a test that takes longer runs after all others."""
MEMORY = 16 << 30
"""Bytes of addresses; a change that asks for more fails."""


class Suite:
    """Test programs, and how long their tests take without a change.

    Attributes:
        batches: the number of a program, names of its tests, and a limit of processor time in
            seconds, in the order of running.
    """

    def __init__(self, programs: list[Path], tree: Path) -> None:
        """Measure every test, one after the other."""
        self.tree = tree
        timed = []
        for number, program in enumerate(programs):
            listed = subprocess.check_output([program, "--list"], text=True, cwd=tree)
            names = [it.removesuffix(": test") for it in listed.splitlines() if ": test" in it]
            names = [it for it in names if not it.startswith(NOT_RUN)]
            seconds = self._seconds(program, names)
            for slow in (False, True):
                chosen = [it for it in names if (seconds[it] > SLOW) == slow]
                timed.append((slow, sum(seconds[it] for it in chosen), number, chosen))
        timed.sort()
        self.batches = [
            (number, names, 20 + 4 * int(seconds)) for _, seconds, number, names in timed if names
        ]

    def _seconds(self, program: Path, names: list[str]) -> dict[str, float]:
        command = [program, "--exact", "--test-threads", "1", *names]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=self.tree)
        assert process.stdout
        seconds = {}
        last = time.monotonic()
        for line in process.stdout:
            if line.startswith("test ") and " ... " in line:
                now = time.monotonic()
                seconds[line.split()[1]] = now - last
                last = now
        if process.wait() or len(seconds) != len(names):
            raise RuntimeError(f"the tests of {program} fail without a change")
        return seconds

    def test(self, programs: dict[int, Path], mutant: int = 0) -> str:
        """Return whether programs, by number, notice a change: caught, timeout or missed."""
        for number, names, limit in self.batches:
            if number in programs:
                kind = self._run([str(programs[number]), "--exact", *names], mutant, limit)
                if kind != "missed":
                    return kind
        return "missed"

    def _run(self, command: list[str], mutant: int, limit: int) -> str:
        bound = bounds(limit, MEMORY)

        def prepare() -> None:
            bound()
            signal.alarm(20 * limit)  # for threads that wait for each other

        process = subprocess.Popen(
            command,
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
                return "caught"
        status = process.wait()
        if status in (-signal.SIGXCPU, -signal.SIGALRM):
            return "timeout"
        return "caught" if status else "missed"
