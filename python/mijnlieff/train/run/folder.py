"""The folder of a run: which files it holds, and whether it can be used."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

from mijnlieff.errors import OutputError, TrainingError
from mijnlieff.train.report.rows import csv_text

__all__ = ["RunFolder"]


class RunFolder:
    """Paths of a run's files, and the log.

    Attributes:
        path: the folder.
        checkpoint: everything needed to go on.
        log: one JSON object per round.
        csv: the same numbers as a table, a line per round; see `mijnlieff.train.report.rows`.
        tensorboard: the folder of TensorBoard's event files.
        curve: the learning curve as a picture.
        report_json: the final table for programs.
        report_text: the final table for people.
    """

    def __init__(self, path: Path) -> None:
        """Name the files; touches nothing.

        Args:
            path: the folder.
        """
        self.path = path
        self.checkpoint = path / "checkpoint.pt"
        self.log = path / "log.jsonl"
        self.csv = path / "progress.csv"
        self.tensorboard = path / "tensorboard"
        self.curve = path / "curve.png"
        self.report_json = path / "report.json"
        self.report_text = path / "report.md"

    def prepare(self, *, resume: bool, overwrite: bool) -> None:
        """Create the folder and make sure that it can be written to.

        Args:
            resume: the folder holds a run that goes on.
            overwrite: a run in the folder is thrown away.

        Raises:
            OutputError: the folder cannot be created or written to.
            TrainingError: the folder holds a run, and neither option was given.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=self.path):
                pass
            if overwrite and not resume:
                for file in self._files():
                    file.unlink(missing_ok=True)
        except OSError as error:
            raise OutputError(
                f"cannot write to the folder {self.path}: {error.strerror}"
            ) from error
        if self.checkpoint.exists() and not resume:
            raise TrainingError(
                f"{self.path} already holds a run: give --resume to go on with it, "
                "--overwrite to start anew, or another --out"
            )

    def _files(self) -> list[Path]:
        events = self.tensorboard.glob("events.out.tfevents.*")
        texts = [self.log, self.csv, self.report_json, self.report_text]
        return [self.checkpoint, self.curve, *texts, *events]

    def write(self, file: Path, text: str) -> None:
        """Write one of the files, replacing it whole or not at all.

        Args:
            file: which.
            text: its content.

        Raises:
            OutputError: it cannot be written.
        """
        beside = file.with_name(file.name + ".part")
        try:
            beside.write_text(text, encoding="utf-8")
            beside.replace(file)
        except OSError as error:
            raise OutputError(f"cannot write {file}: {error.strerror}") from error

    def append_log(self, row: dict[str, Any]) -> None:
        """Add a round to the log and to the table.

        Args:
            row: plain values.

        Raises:
            OutputError: one of them cannot be written.
        """
        _append(self.log, json.dumps(row) + "\n")
        _append(self.csv, csv_text([row], header=not self.csv.exists()))

    def read_log(self) -> list[dict[str, Any]]:
        """The rounds in the log, oldest first; a line cut short by a kill is left out."""
        if not self.log.exists():
            return []
        rows = []
        for line in self.log.read_text(encoding="utf-8").splitlines():
            try:
                rows.append(json.loads(line))
            except json.JSONDecodeError:
                continue
        return rows

    def cut_log(self, rounds: int) -> None:
        """Drop the rounds that were played after the checkpoint was written.

        The table is made anew from the log, so that both agree again whatever a kill cut short.

        Args:
            rounds: of the checkpoint.

        Raises:
            OutputError: the log or the table cannot be written.
        """
        kept = [row for row in self.read_log() if row["round"] <= rounds]
        self.write(self.log, "".join(json.dumps(row) + "\n" for row in kept))
        if kept:
            self.write(self.csv, csv_text(kept, header=True))
        else:
            self.csv.unlink(missing_ok=True)


def _append(file: Path, text: str) -> None:
    try:
        # A text within the buffer goes out in one piece: a reader meanwhile sees all or nothing.
        with file.open("ab", buffering=1 << 16) as stream:
            stream.write(text.encode())
    except OSError as error:
        raise OutputError(f"cannot write {file}: {error.strerror}") from error
