"""A run from its folder to its learning curve, for the command line and for Python."""

from __future__ import annotations

import contextlib
import dataclasses
from collections.abc import Mapping
from typing import Any

from mijnlieff import Variant
from mijnlieff.errors import CheckpointError
from mijnlieff.train.config import Budget, TrainConfig
from mijnlieff.train.report.plot import draw_curve
from mijnlieff.train.report.progress import Progress
from mijnlieff.train.report.state import OnReport, TrainState
from mijnlieff.train.report.tensorboard import TensorBoardLog
from mijnlieff.train.run.checkpoint import load_checkpoint
from mijnlieff.train.run.device import choose_device
from mijnlieff.train.run.folder import RunFolder
from mijnlieff.train.run.interrupt import StopSignal
from mijnlieff.train.run.trainer import Trainer

__all__ = ["resume_run", "run_session", "start_run", "train_in"]

# Settings that a resumed run may change: they do not bear on what is learnt.
_FREE = {"threads", "checkpoint_seconds", "measurements", "measurement_games"}


def start_run(
    folder: RunFolder,
    config: TrainConfig,
    budget: Budget,
    variant: Variant,
    *,
    device: str,
    overwrite: bool,
) -> Trainer:
    """A run that starts from random weights.

    Args:
        folder: of the run; created if need be.
        config: its settings.
        budget: when to stop.
        variant: the game.
        device: where the network computes, see `choose_device`.
        overwrite: a run in the folder is thrown away.

    Raises:
        TrainingError: the folder holds a run that is not to be overwritten.
        OutputError: the folder cannot be written to.
        ValueError: PyTorch cannot use the device.
    """
    chosen = choose_device(device)
    folder.prepare(resume=False, overwrite=overwrite)
    return Trainer(config, budget, variant, chosen)


def resume_run(
    folder: RunFolder,
    given: Mapping[str, Any],
    budget: Budget | None,
    variant: Variant | None,
    *,
    device: str,
) -> Trainer:
    """A run that goes on where its checkpoint left it.

    Args:
        folder: of the run.
        given: settings by name; those that bear on what is learnt must be as they were.
        budget: when to stop; the run's own if None.
        variant: the game, which must be as it was; the run's own if None.
        device: where the network computes, see `choose_device`; it may be another than before.

    Raises:
        CheckpointError: there is no sound checkpoint, or it is of another variant or settings.
        OutputError: the folder cannot be written to.
        ValueError: a setting is out of range, or PyTorch cannot use the device.
    """
    chosen = choose_device(device)
    saved = load_checkpoint(folder.checkpoint)
    if given.get("algo", saved.config.algo) != saved.config.algo:
        raise CheckpointError(
            f"{folder.checkpoint} was trained by {saved.config.algo}, which cannot become "
            f"{given['algo']}: leave the option out"
        )
    for name in given.keys() - _FREE:
        before = getattr(saved.config, name)
        if given[name] != before:
            raise CheckpointError(
                f"{folder.checkpoint} was trained with {name} {before}, which cannot become "
                f"{given[name]}: leave the option out"
            )
    if variant is not None and variant != saved.variant:
        raise CheckpointError(
            f"{folder.checkpoint} was trained on {saved.variant}, not on {variant}"
        )
    folder.prepare(resume=True, overwrite=False)
    folder.cut_log(saved.counters.rounds)
    config = dataclasses.replace(saved.config, **given)
    return Trainer.resume(saved, folder.checkpoint, config, budget or saved.budget, chosen)


def run_session(
    trainer: Trainer,
    folder: RunFolder,
    *,
    on_report: OnReport | None = None,
    tensorboard: bool | None = None,
) -> int:
    """Train until the budget is spent or a signal comes, then draw the learning curve.

    Args:
        trainer: the run.
        folder: its folder.
        on_report: called after every round; without it, progress goes to standard error.
        tensorboard: whether to write event files; if None, where TensorBoard is installed.

    Returns:
        The number of the signal that ended it, or 0.

    Raises:
        ImportError: event files are wanted, and TensorBoard is not installed.
        TrainingError: the losses are no numbers any more.
        OutputError: a file cannot be written.
    """
    with contextlib.ExitStack() as stack:
        reports: list[OnReport] = []
        if tensorboard is not False:
            # Not wanted for certain, it may be missing.
            with contextlib.suppress(*() if tensorboard else (ImportError,)):
                events = TensorBoardLog(folder.tensorboard, trainer.counters.steps)
                reports.append(stack.enter_context(events))
        progress = None
        if on_report is None:
            progress = stack.enter_context(Progress(trainer.spent))
        else:
            reports.append(on_report)
        stop = stack.enter_context(StopSignal())
        trainer.run(folder, progress, lambda: stop.number != 0, reports)
    draw_curve(folder.curve, trainer.curve, folder.read_log(), "Learning Mijnlieff by self-play")
    return stop.number


def train_in(
    folder: RunFolder,
    config: TrainConfig,
    budget: Budget,
    variant: Variant,
    *,
    device: str,
    resume: bool,
    overwrite: bool,
    on_report: OnReport | None,
    tensorboard: bool | None,
) -> TrainState:
    """See `mijnlieff.train.train`."""
    if resume:
        trainer = resume_run(folder, dataclasses.asdict(config), budget, variant, device=device)
    else:
        trainer = start_run(folder, config, budget, variant, device=device, overwrite=overwrite)
    with contextlib.closing(trainer):
        run_session(trainer, folder, on_report=on_report, tensorboard=tensorboard)
        return TrainState(trainer.spent, True, folder.read_log(), trainer.curve)
