"""The training runs of docs/training.md and docs/baselines.md."""

from __future__ import annotations

import shutil
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

RUNS = Path("runs/report")
SNAPSHOTS = "snapshots"
CELLS = ["--network", "cells", "--precision", "bfloat16"]
OPTIONS = {
    "exact": ["--knowledge", "exact", *CELLS, "--reuse", "1"],
    "pure": ["--knowledge", "pure", *CELLS, "--num-simulations", "16"],
    "ppo": ["--algo", "ppo", "--num-threads", "1"],
}


@dataclass(frozen=True)
class Training:
    """A run: one of `OPTIONS`, its minutes and its seed."""

    kind: str
    minutes: float
    seed: int

    @property
    def folder(self) -> str:
        """The name of its folder."""
        return f"{self.kind}-{self.minutes:g}-minutes-seed-{self.seed}"

    @property
    def command(self) -> list[str]:
        """The arguments of ``mijnlieff``, without the folder."""
        minutes, seed = f"{self.minutes:g}", str(self.seed)
        return ["train", "--minutes", minutes, *OPTIONS[self.kind], "--seed", seed]

    def is_finished(self, root: Path) -> bool:
        """Whether the run is in its folder, with the final matches."""
        return (root / self.folder / "report.json").exists()

    def make(self, root: Path, points: int, final_games: int) -> Path:
        """Train, or resume training, unless the run is finished; keep snapshots on the way.

        Args:
            root: the folder of all runs.
            points: snapshots to keep, evenly spread over the minutes.
            final_games: games against each opponent at the end.

        Returns:
            The folder of the run.

        Raises:
            subprocess.CalledProcessError: training failed.
        """
        folder = root / self.folder
        if self.is_finished(root):
            return folder
        checkpoint, every = folder / "checkpoint.pt", 60 * self.minutes / points
        line = [sys.executable, "-m", "mijnlieff", *self.command]
        line += ["--resume"] if checkpoint.exists() else []
        line += ["--checkpoint-seconds", f"{min(20.0, every / 2):g}", "--measurements", "4"]
        line += ["--final-games", str(final_games), "--out", str(folder)]
        running = subprocess.Popen(line)
        try:
            while not _has_ended(running, every):
                if checkpoint.exists():
                    snapshots = folder / SNAPSHOTS
                    snapshots.mkdir(exist_ok=True)
                    # Training replaces its checkpoint whole, so a copy is never half of one.
                    shutil.copyfile(checkpoint, snapshots / f"{time.time():.0f}.pt")
        except BaseException:
            running.terminate()  # it saves first
            running.wait()
            raise
        if running.returncode:
            raise subprocess.CalledProcessError(running.returncode, line)
        return folder


def snapshots(folder: Path) -> list[Path]:
    """Return the checkpoints of a run on its way, and the last one."""
    return [*sorted((folder / SNAPSHOTS).glob("*.pt")), folder / "checkpoint.pt"]


def _has_ended(running: subprocess.Popen[bytes], seconds: float) -> bool:
    """Wait for a process; return whether it ended."""
    try:
        running.wait(seconds)
    except subprocess.TimeoutExpired:
        return False
    return True
