"""A run from its folder to its learning curve, for the command line and for Python."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Iterator, Mapping
from typing import Any

from mijnlieff._mijnlieff import Board, Variant
from mijnlieff._util.output import status_bar
from mijnlieff.errors import CheckpointError
from mijnlieff.train.boards import Boards, boards_named
from mijnlieff.train.config import Budget, TrainConfig
from mijnlieff.train.play.local import Backend
from mijnlieff.train.process import StopSignal, choose_device
from mijnlieff.train.report.state import OnReport
from mijnlieff.train.report.tensorboard import TensorBoardLog
from mijnlieff.train.run.checkpoint import Checkpoint, load_checkpoint
from mijnlieff.train.run.folder import RunFolder
from mijnlieff.train.run.lock import lock_folder
from mijnlieff.train.run.trainer import Trainer
from mijnlieff.train.settings import settings_of

__all__ = ["resume_run", "run_session", "start_run"]


@contextlib.contextmanager
def start_run(
    folder: RunFolder,
    config: TrainConfig,
    budget: Budget,
    boards: Boards,
    *,
    device: str,
    overwrite: bool,
    backend: Backend | None,
) -> Iterator[Trainer]:
    """A run that starts from random weights; the folder is locked while the `with` block runs.

    Args:
        folder: the folder, created if it does not exist; a new one that is empty at the end is
            removed again.
        config: the settings.
        budget: when to stop.
        boards: the boards to learn.
        device: where the network computes, see `choose_device`.
        overwrite: delete a run in the folder, once the new one is set up.
        backend: where games are played; None is this process.

    Raises:
        TrainingError: the folder is in use, or holds a run, or the log of one, that is not to be
            overwritten.
        OSError: the folder cannot be written to.
        ValueError: PyTorch cannot use the device, or settings that several boards do not take.
        MemoryError: there is not enough memory for the network or the replay buffer.
    """
    chosen = choose_device(device)
    _check_several_boards(boards, config)
    with contextlib.ExitStack() as stack:
        if folder.create():
            # A run that is refused leaves nothing. The file of the lock is gone by then.
            stack.callback(folder.remove_if_empty)
        stack.enter_context(lock_folder(folder.path))
        if not overwrite:
            folder.refuse_run()
        trainer = Trainer(config, budget, boards, chosen, backend)
        stack.enter_context(contextlib.closing(trainer))
        if overwrite:
            folder.clear()
        yield trainer


@contextlib.contextmanager
def resume_run(
    folder: RunFolder,
    given: Mapping[str, Any],
    budget: Budget | None,
    boards: Mapping[str, Any] | Boards,
    *,
    device: str,
    backend: Backend | None,
) -> Iterator[Trainer]:
    """A run that continues from its checkpoint; the folder is locked while the `with` block runs.

    Args:
        folder: the folder of the run.
        given: settings by name; those that affect learning must be as before.
        budget: when to stop; None for the run's own.
        boards: `board`, `opening` and `copies`, as far as given, or the arguments of
            `Boards.split`; or the boards. They must be as before.
        device: where the network computes, see `choose_device`; it may differ from before.
        backend: where games are played; None is this process.

    Raises:
        CheckpointError: there is no valid checkpoint, or it is of another variant or settings.
        TrainingError: the folder is in use, or its log is damaged.
        OSError: the folder cannot be written to.
        ValueError: a setting is out of range, or PyTorch cannot use the device.
        MemoryError: there is not enough memory for the network or the replay buffer.
    """
    chosen = choose_device(device)
    with contextlib.ExitStack() as stack:
        if folder.path.is_dir():  # otherwise loading names the missing file
            stack.enter_context(lock_folder(folder.path))
        saved = load_checkpoint(folder.checkpoint)
        _check_same_run(folder, saved, given, boards)
        config = dataclasses.replace(saved.config, **given)
        _check_several_boards(saved.boards, config)
        trainer = Trainer.resume(
            saved, folder.checkpoint, config, budget or saved.budget, chosen, backend
        )
        stack.enter_context(contextlib.closing(trainer))
        folder.read_log()  # raises, before anything is said or changed
        yield trainer


def _check_same_run(
    folder: RunFolder,
    saved: Checkpoint,
    given: Mapping[str, Any],
    boards: Mapping[str, Any] | Boards,
) -> None:
    file = folder.checkpoint
    for name, declared in settings_of(TrainConfig).items():
        before = getattr(saved.config, name)
        if declared.may_change or given.get(name, before) == before:
            continue
        raise CheckpointError(
            f"{file} was trained with {name} {before}, which cannot become {given[name]}: a "
            "resumed run keeps it"
        )
    if not _are_same_boards(saved.boards, boards):
        raise CheckpointError(
            "{} was trained on {}, not on {}: a resumed run keeps its boards".format(
                file, *_in_words(saved.boards, boards)
            )
        )


def _are_same_boards(saved: Boards, given: Mapping[str, Any] | Boards) -> bool:
    if isinstance(given, Boards):
        return (saved.seen, saved.unseen) == (given.seen, given.unseen)
    asked = dict(given)
    if (board := asked.pop("board", None)) is not None and [board] != _boards_of(saved):
        return False
    if (text := asked.pop("boards", None)) is not None:
        if set(boards_named(text)) != set(_boards_of(saved)):
            return False
    return all(getattr(saved, name) == value for name, value in asked.items())


def _boards_of(boards: Boards) -> list[Board]:
    return [variant.board for variant in boards.all]


def _in_words(saved: Boards, given: Mapping[str, Any] | Boards) -> tuple[str, str]:
    """Return how the boards of a run differ from those that are asked for, and the other way."""
    before = _text_of(saved)
    if isinstance(given, Boards):
        asked = _text_of(given)
        if before != asked:
            return before, asked
        pairs = zip(saved.all, given.all, strict=True)
        number, (one, other) = next(
            (i, pair) for i, pair in enumerate(pairs, 1) if len({*pair}) > 1
        )
        return f"{before}, number {number} {one.board}", f"{asked}, number {number} {other.board}"
    if saved.canvas is None and given.keys() <= {"board", "opening", "copies"}:
        only = saved.seen[0]
        same: dict[str, Any] = {"board": only.board, "opening": only.opening, "copies": only.copies}
        return before, repr(Variant(**(same | dict(given))))
    kept = [f"{name} {getattr(saved, name)!r}" for name in given if name not in ("board", "boards")]
    return ", ".join([before, *kept]), ", ".join(
        f"{name} {value!r}" for name, value in given.items()
    )


def _text_of(boards: Boards) -> str:
    return str(boards) if boards.canvas is not None else repr(boards.seen[0])


def _check_several_boards(boards: Boards, config: TrainConfig) -> None:
    if boards.canvas is not None and config.algo != "alphazero":
        raise ValueError(f"many boards are learned by algo alphazero, not by {config.algo}")


def run_session(
    trainer: Trainer,
    folder: RunFolder,
    stop: StopSignal,
    *,
    on_report: OnReport | None = None,
    tensorboard: bool | None = None,
) -> int:
    """Train until the budget is spent or a signal comes, then draw the learning curve.

    Args:
        trainer: the run.
        folder: its folder.
        stop: notes the signal, which raises KeyboardInterrupt at once until the rounds begin.
        on_report: called after every round; if None, progress goes to standard error.
        tensorboard: whether to write event files; if None, only where TensorBoard is installed.

    Returns:
        The number of the signal that stopped the run, or 0.

    Raises:
        ImportError: `tensorboard` is true, and TensorBoard is not installed.
        TrainingError: a loss or a weight is NaN or infinite; the last checkpoint is still valid.
        MemoryError: PyTorch lacks memory for a step.
        OSError: a file cannot be written.
    """
    with contextlib.ExitStack() as stack:
        stack.enter_context(stop)
        trainer.prepare(folder, on_report is None)
        reports: list[OnReport] = []
        if tensorboard is not False:
            # TensorBoard may be missing unless it was asked for.
            with contextlib.suppress(*() if tensorboard else (ImportError,)):
                events = TensorBoardLog(folder.tensorboard, trainer.counters.steps)
                reports.append(stack.enter_context(events))
        progress = None
        if on_report is None:
            progress = stack.enter_context(status_bar(trainer.spent))
        else:
            reports.append(on_report)
        with stop.deferred():
            trainer.run(folder, progress, lambda: stop.number != 0, reports)
        trainer.close()  # rounds begun ahead would keep the executor from the final matches
    trainer.strength.draw(folder, trainer.curve)
    return stop.number
