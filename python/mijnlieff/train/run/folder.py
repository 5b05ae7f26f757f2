"""The folder of a run: its files, and whether it can be used."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

from mijnlieff._util.files import part_path, write_whole, writing
from mijnlieff.errors import TrainingError
from mijnlieff.train.report.rows import csv_text, parse_round

__all__ = ["RunFolder"]


class RunFolder:
    """Paths of a run's files, and the log.

    Attributes:
        path: the folder.
        checkpoint: everything needed to resume.
        log: one JSON object per round.
        csv: the same numbers as a table with a line per round, see `mijnlieff.train.report.rows`.
        tensorboard: the folder of TensorBoard's event files.
        curve: the learning curve as a picture.
        boards: the boards of a run on many, and those held out.
        graded: positions with their exact margins, for the grades of a run on many boards.
        report_json: the final table for programs.
        report_text: the final table for people.
    """

    def __init__(self, path: Path) -> None:
        """Name the files; nothing is read or written.

        Args:
            path: the folder.
        """
        self.path = path
        self.checkpoint = path / "checkpoint.pt"
        self.log = path / "log.jsonl"
        self.csv = path / "progress.csv"
        self.tensorboard = path / "tensorboard"
        self.curve = path / "curve.png"
        self.boards = path / "boards.json"
        self.graded = path / "graded.npz"
        self.report_json = path / "report.json"
        self.report_text = path / "report.md"

    def create(self) -> bool:
        """Create the folder if it does not exist.

        Returns:
            Whether it is new.

        Raises:
            OSError: it cannot be created.
        """
        is_new = not self.path.exists()
        with writing(f"to the folder {self.path}"):
            self.path.mkdir(parents=True, exist_ok=True)
        return is_new

    def remove_if_empty(self) -> None:
        """Remove the folder, unless there is something in it."""
        with contextlib.suppress(OSError):
            self.path.rmdir()

    def refuse_run(self) -> None:
        """Make sure that there is no run in the folder.

        Raises:
            TrainingError: the folder holds a run, or the log of one.
        """
        if self.checkpoint.exists():
            raise TrainingError(
                f"{self.path} already holds a run: resume it (resume=True, --resume), delete it "
                "(overwrite=True, --overwrite), or choose another folder"
            )
        if self.log.exists():
            raise TrainingError(
                f"{self.path} holds the log of a run without its checkpoint: delete it "
                "(overwrite=True, --overwrite), or choose another folder"
            )

    def clear(self) -> None:
        """Delete a run in the folder.

        Raises:
            OSError: a file cannot be deleted.
        """
        try:
            for file in self._files():
                file.unlink(missing_ok=True)
        except OSError as error:
            raise OSError(
                f"cannot delete the run in {self.path}: {error.filename}: {error.strerror}"
            ) from error

    def _files(self) -> list[Path]:
        files = [self.checkpoint, self.curve, self.log, self.csv]
        files += [self.boards, self.graded, self.report_json, self.report_text]
        # A kill may have left the temporary file of an unfinished write.
        parts = [part_path(file) for file in files]
        return [*files, *parts, *self.tensorboard.glob("events.out.tfevents.*")]

    def append_log(self, row: dict[str, Any]) -> None:
        """Add a round to the log and to the table.

        Args:
            row: plain values.

        Raises:
            OSError: one of them cannot be written.
        """
        _append(self.log, json.dumps(row) + "\n")
        _append(self.csv, csv_text([row], header=not self.csv.exists()))

    def read_log(self) -> list[dict[str, Any]]:
        """The rounds in the log, oldest first.

        A last line that a kill has cut short is skipped.

        Raises:
            TrainingError: the log cannot be read, or another line is not a round of this run; the
                message names the file and the line.
        """
        try:
            lines = self.log.read_bytes().split(b"\n")
        except FileNotFoundError:
            return []
        except OSError as error:
            reason = error.strerror or error
            raise TrainingError(f"cannot read the log {self.log}: {reason}") from error
        rows: list[dict[str, Any]] = []
        for number, line in enumerate(lines, 1):
            if not line:
                continue
            try:
                rows.append(parse_round(line, like=rows[0] if rows else None))
            except ValueError as error:
                if number == len(lines):  # without a line break
                    break
                raise TrainingError(
                    f"{self.log} is damaged in line {number} ({error}): correct or delete the line"
                ) from error
        return rows

    def cut_log(self, rounds: int) -> None:
        """Drop the rounds that were played after the checkpoint was written.

        The table is written again from the log, so that both agree after a kill.

        Args:
            rounds: number of rounds in the checkpoint.

        Raises:
            TrainingError: the log is damaged, see `read_log`.
            OSError: the log or the table cannot be written.
        """
        kept = [row for row in self.read_log() if row["round"] <= rounds]
        write_whole(self.log, "".join(json.dumps(row) + "\n" for row in kept).encode())
        if kept:
            write_whole(self.csv, csv_text(kept, header=True).encode())
        else:
            self.csv.unlink(missing_ok=True)


def _append(file: Path, text: str) -> None:
    # A text that fits the buffer is written in one piece: readers see all of it or nothing.
    with writing(file), file.open("ab", buffering=1 << 16) as stream:
        stream.write(text.encode())
