"""Writes the log as TensorBoard event files."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Self

from mijnlieff._util.files import writing
from mijnlieff.train.report.rows import flat_row
from mijnlieff.train.report.state import TrainState

__all__ = ["TensorBoardLog"]


class TensorBoardLog:
    """Writes the numbers of every round, with the actions played as steps; a context manager.

    Measured scores are in the group `score`, losses in `loss`, rates in `speed`, and the
    algorithm's other numbers in `learning`.
    """

    def __init__(self, folder: Path, steps: int) -> None:
        """Start an event file.

        Args:
            folder: the folder of the event files, created if it does not exist.
            steps: actions played so far; earlier entries for later steps are hidden.

        Raises:
            ImportError: TensorBoard is not installed.
            OSError: the folder cannot be written to.
        """
        from torch.utils.tensorboard import SummaryWriter

        self._folder = folder
        with writing(folder):
            self._writer = SummaryWriter(str(folder), purge_step=steps + 1)

    def __call__(self, state: TrainState) -> None:
        """Write the latest round.

        Args:
            state: the state of the run.

        Raises:
            OSError: the file cannot be written.
        """
        row = flat_row(state.log[-1])
        steps = row.pop("steps")
        with writing(self._folder):
            for name, value in row.items():
                if value is not None and name != "round":
                    self._writer.add_scalar(_tag(name), value, steps)
            self._writer.flush()

    def __enter__(self) -> Self:
        """Return the log, which is open already."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file."""
        # Every round has been flushed, so a full disk loses nothing here.
        with contextlib.suppress(OSError):
            self._writer.close()


def _tag(name: str) -> str:
    name = name.replace(":", "_")  # TensorBoard does not allow colons in names
    if name.startswith("score_"):
        return f"score/{name.removeprefix('score_')}"
    if name.startswith("grade_"):
        return f"grade/{name.removeprefix('grade_')}"
    if name.endswith("_loss"):
        return f"loss/{name.removesuffix('_loss')}"
    return f"speed/{name}" if name.endswith("_per_second") else f"learning/{name}"
