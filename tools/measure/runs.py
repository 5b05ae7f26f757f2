"""The training runs of docs/training.md and docs/baselines.md."""

from __future__ import annotations

import dataclasses
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any

from mijnlieff.train import TrainConfig
from tools.measure.processor import machine, processor
from tools.results import file_name, read_results, write_results

RUNS = Path("runs/report")
SNAPSHOTS = "snapshots"
MACHINE = "machine.json"
OPTIONS = {
    "exact": ["--knowledge", "exact", "--precision", "bfloat16"],
    "pure": ["--knowledge", "pure", "--precision", "bfloat16"],
    "ppo": ["--algo", "ppo", "--num-threads", "1"],
}
LARGER = ["--width", "128", "--blocks", "4"]
#: In an hour, where a smaller network gains little towards the end.
IN_AN_HOUR = {
    "exact": [*LARGER, "--minibatch-size", "1024"],
    # Deeper searches bring nothing there. Self-play takes longer than learning, so a larger reuse
    # takes no time.
    "pure": [*LARGER, "--minibatch-size", "1024", "--reuse", "2.4"],
    "ppo": [],
}
#: Looking labels up takes hardly any time, so both cores learn.
LOOKED_UP = ["--num-threads", "2"]
MANY = ["--minibatch-size", "1024", "--replay-positions", "1000000"]
#: With a device: more at once, and a larger network where it does not play.
ON_DEVICE = {
    "exact": [*MANY, "--num-envs", "8192", "--width", "192", "--blocks", "4"],
    "pure": [*MANY, "--num-envs", "2048"],
}


@dataclass(frozen=True)
class Training:
    """A run of training.

    Attributes:
        kind: one of `OPTIONS`.
        minutes: its length.
        seed: its seed.
        root: the folder of all runs.
        changes: settings that differ from `OPTIONS`, each as ``name=value``.
        device: where the network learns, if it is not the processor.
        tablebase: the file where exact labels are looked up; None searches for them.
    """

    kind: str
    minutes: float
    seed: int
    root: Path
    changes: tuple[str, ...] = field(default=(), kw_only=True)
    device: str | None = field(default=None, kw_only=True)
    tablebase: Path | None = field(default=None, kw_only=True)

    @property
    def folder(self) -> Path:
        """Its own folder."""
        named = [self.kind, f"{self.minutes:g}-minutes", *self.changes]
        named += [file_name(self.device)] if self.device else []
        return self.root / "-".join([*named, f"seed-{self.seed}"])

    @property
    def command(self) -> list[str]:
        """The arguments of ``mijnlieff``, without the folder."""
        options = list(OPTIONS[self.kind])
        options += IN_AN_HOUR[self.kind] if self.minutes >= 60 else []
        options += [*ON_DEVICE[self.kind], "--device", self.device] if self.device else []
        if self._looks_up:
            options += [] if self.device else LOOKED_UP
            options += ["--tablebase", str(self.tablebase)]
        for change in self.changes:
            name, _, value = change.partition("=")
            options += [f"--{name.replace('_', '-')}", value]
        return ["train", "--minutes", f"{self.minutes:g}", *options, "--seed", str(self.seed)]

    @property
    def _looks_up(self) -> bool:
        return self.kind == "exact" and self.tablebase is not None

    @property
    def is_finished(self) -> bool:
        """Whether the run is in its folder, with the final matches."""
        return self._report.exists()

    @property
    def report(self) -> dict[str, Any]:
        """The settings, counts and final matches that a finished run kept."""
        return read_results(self._report)

    @property
    def config(self) -> dict[str, Any]:
        """The settings that a finished run kept."""
        config: dict[str, Any] = self.report["run"]["config"]
        return config

    @property
    def asked(self) -> str:
        """The command that a finished run was started with, without the seed.

        It comes from the settings that the run kept, which may be older than `OPTIONS`.
        """
        config = self.config
        algo = config["algo"]
        named = "knowledge" if algo == "alphazero" else "algo"
        shown = {named: config[named]}
        plain = dataclasses.asdict(TrainConfig.of(**{"algo": algo, **shown}))
        shown |= {name: config[name] for name, value in plain.items() if config[name] != value}
        options = [
            f" --{name.replace('_', '-')} {f'{value:g}' if isinstance(value, float) else value}"
            for name, value in shown.items()
            if name not in ("seed", "measurements", "checkpoint_seconds")
        ]
        options += [f" --device {self.device}"] if self.device else []
        looked_up = read_results(self.folder / MACHINE).get("tablebase", False)
        options += [" --tablebase FILE"] if looked_up else []
        return f"mijnlieff train --minutes {self.minutes:g}{''.join(options)}"

    @property
    def machine(self) -> str:
        """The processor of a run and, if the network learned on one, the device."""
        # A run that was made by another program has not kept it.
        found: str = read_results(self.folder / MACHINE).get("machine", processor())
        return found

    @property
    def _report(self) -> Path:
        return self.folder / "report.json"

    def make(self, points: int, final_games: int, output: IO[str] | None = None) -> None:
        """Train, or resume training, unless the run is finished; keep snapshots on the way.

        Args:
            points: snapshots to keep, evenly spread over the minutes.
            final_games: games against each opponent at the end.
            output: what the run prints goes there; None for the terminal.

        Raises:
            SystemExit: the folder has a run that was started with other settings.
            subprocess.CalledProcessError: training failed.
        """
        words = ["FILE" if word == str(self.tablebase) else word for word in self.command]
        asked = {"command": " ".join(words), "points": points, "final_games": final_games}
        # A run of an earlier version has not kept it.
        kept = read_results(self.folder / MACHINE).get("asked", asked)
        if kept != asked:
            raise SystemExit(f"{self.folder} has {kept}, not {asked}; remove it first")
        if self.is_finished:
            return
        checkpoint, every = self.folder / "checkpoint.pt", 60 * self.minutes / points
        line = [sys.executable, "-m", "mijnlieff", *self.command]
        line += ["--resume"] if checkpoint.exists() else []
        line += ["--checkpoint-seconds", f"{min(20.0, every / 2):g}", "--measurements", "4"]
        line += ["--final-games", str(final_games), "--out", str(self.folder)]
        made_on = {"machine": machine(self.device), "tablebase": self._looks_up}
        write_results(self.folder / MACHINE, made_on | {"asked": asked})
        running = subprocess.Popen(line, stdout=output, stderr=output)
        try:
            while not _has_ended(running, every):
                if checkpoint.exists():
                    snapshots = self.folder / SNAPSHOTS
                    snapshots.mkdir(exist_ok=True)
                    # Training replaces its checkpoint whole, so a copy is never half of one.
                    shutil.copyfile(checkpoint, snapshots / f"{time.time():.0f}.pt")
        except BaseException:
            running.terminate()  # it saves first
            running.wait()
            raise
        if running.returncode:
            raise subprocess.CalledProcessError(running.returncode, line)


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
