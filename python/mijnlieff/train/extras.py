"""Checks for the optional packages that training needs."""

from __future__ import annotations

import importlib
import os

from mijnlieff._util.extras import needs

__all__ = ["prepare_packages", "require_train_extra"]


def require_train_extra(*modules: str, extra: str = "train") -> None:
    """Import packages of an extra.

    Args:
        modules: names of the packages.
        extra: the extra that installs them.

    Raises:
        MissingExtraError: one is not installed; the message gives the command that installs it.
    """
    for name in modules:
        with needs("training", name, extra):
            importlib.import_module(name)


def prepare_packages(tensorboard: bool | None, extra: str = "train") -> None:
    """Import the packages of a run, before any file is written.

    Args:
        tensorboard: whether event files were asked for; None if they may be left out.
        extra: the extra that installs all that the run needs, besides TensorBoard.

    Raises:
        MissingExtraError: PyTorch or matplotlib is not installed, or TensorBoard if asked for.
    """
    # By default OpenMP's threads spin while they wait for each other, which makes training many
    # times slower when another process needs a core. PyTorch reads this when it is imported.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    if tensorboard:  # that extra includes the extra train
        extra = "tensorboard" if extra == "train" else f"{extra},tensorboard"
    require_train_extra("torch", "matplotlib", extra=extra)
    if tensorboard:
        require_train_extra("torch.utils.tensorboard", extra="tensorboard")
