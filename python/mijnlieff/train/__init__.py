"""Training a policy-value network by self-play, and using what it learnt.

`mijnlieff train` on the command line is the usual way in, `train` the same from Python; a
`LivePlot` shows in a notebook how it goes. `load_policy` makes a player of the checkpoint that
either leaves behind. PyTorch is imported only once one of them runs.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from mijnlieff._mijnlieff import Variant
from mijnlieff.train.config import Budget, TrainConfig
from mijnlieff.train.extras import prepare_packages, require_train_extra
from mijnlieff.train.report.live import LivePlot
from mijnlieff.train.report.state import OnReport, TrainState

if TYPE_CHECKING:
    from mijnlieff import MCTSPolicy, NetworkPolicy

__all__ = ["Budget", "LivePlot", "TrainConfig", "TrainState", "load_policy", "train"]


def train(
    config: TrainConfig,
    budget: Budget,
    out: str | os.PathLike[str],
    *,
    variant: Variant | None = None,
    device: str = "auto",
    resume: bool = False,
    overwrite: bool = False,
    on_report: OnReport | None = None,
    tensorboard: bool | None = None,
) -> TrainState:
    """Train a network and return how the run stands at its end.

    The folder then holds what `mijnlieff train` leaves there, less the final tables: the checkpoint
    for `load_policy`, the logs `log.jsonl` and `progress.csv`, and the learning curve. Ctrl-C, or
    the button that interrupts a notebook, saves the run and ends it early; a second one raises
    `KeyboardInterrupt` at once. So does what `on_report` raises; the last checkpoint is still good.

    Args:
        config: the settings, as from `TrainConfig.of("ppo")`.
        budget: when to stop; counted from the start of the run also when it goes on.
        out: folder of the run.
        variant: the game; the standard one unless given.
        device: where the network computes: `"auto"` takes a GPU if there is one, any other name is
            PyTorch's own, such as `"cpu"`.
        resume: go on with the run in the folder, which must have the same settings and variant.
        overwrite: throw away a run in the folder.
        on_report: called after every round with a `TrainState`; a `LivePlot`, for example. Without
            it, progress goes to standard error.
        tensorboard: whether to write event files into `tensorboard/` in the folder; unless given,
            if TensorBoard is installed.

    Raises:
        MissingExtraError: PyTorch or matplotlib is not installed, or TensorBoard if asked for.
        TrainingError: the folder holds another run, or the losses are no numbers any more.
        OutputError: the folder cannot be written to; found out before training starts.
        CheckpointError: there is nothing sound to resume, or it is of another variant or settings.
        ValueError: both `resume` and `overwrite`, or a device that PyTorch cannot use.
    """
    if resume and overwrite:
        raise ValueError("a run is either resumed or overwritten: give one of the two")
    prepare_packages(tensorboard)
    from mijnlieff.train.run.folder import RunFolder
    from mijnlieff.train.run.run import train_in

    return train_in(
        RunFolder(Path(out)),
        config,
        budget,
        Variant() if variant is None else variant,
        device=device,
        resume=resume,
        overwrite=overwrite,
        on_report=on_report,
        tensorboard=tensorboard,
    )


def load_policy(
    path: str | os.PathLike[str], temperature: float = 0.0, num_simulations: int = 0
) -> NetworkPolicy | MCTSPolicy:
    """A player from a checkpoint of `mijnlieff train`.

    Args:
        path: the checkpoint, or the run's folder.
        temperature: 0 always plays the likeliest action; 1 draws from the policy as it was learnt.
        num_simulations: of a tree search for every move; 0 asks the network alone.

    Raises:
        CheckpointError: the file is missing, truncated, damaged or foreign.
        MissingExtraError: PyTorch is not installed.
    """
    require_train_extra("torch")
    from mijnlieff.train.run.policy import policy_from_checkpoint

    return policy_from_checkpoint(path, temperature, num_simulations)
