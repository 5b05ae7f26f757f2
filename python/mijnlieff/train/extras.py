"""Checks for the optional packages that training needs."""

from __future__ import annotations

import importlib
import os

from mijnlieff._util.extras import needs

__all__ = ["SPINS", "prepare_packages", "require_train_extra"]

SPINS = 3000
"""How often GNU's OpenMP looks for work, some tenths of a millisecond, before its threads sleep.

By default they spin for so long that training stands nearly still when another process needs a
core. Threads that sleep at once wake too late: with bfloat16 on a processor with AMX, two of them
learn a fifth fewer positions a second.
"""


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
    # PyTorch's OpenMP reads these when it is imported.
    if "OMP_WAIT_POLICY" not in os.environ:
        os.environ["OMP_WAIT_POLICY"] = "PASSIVE"
        os.environ.setdefault("GOMP_SPINCOUNT", str(SPINS))
    if tensorboard:  # that extra includes the extra train
        extra = "tensorboard" if extra == "train" else f"{extra},tensorboard"
    require_train_extra("torch", "matplotlib", extra=extra)
    if tensorboard:
        require_train_extra("torch.utils.tensorboard", extra="tensorboard")
