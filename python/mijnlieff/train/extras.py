"""The optional packages that training needs, asked for before anything else happens."""

from __future__ import annotations

import importlib
import os

from mijnlieff.errors import MissingExtraError

__all__ = ["prepare_packages", "require_train_extra"]


def require_train_extra(*modules: str, extra: str = "train") -> None:
    """Import packages of the `train` extra, or of another that belongs to training.

    Args:
        modules: names of the packages.
        extra: which they are part of.

    Raises:
        MissingExtraError: one is not installed; the message gives the command that installs it.
    """
    for name in modules:
        try:
            importlib.import_module(name)
        except ImportError as error:
            raise MissingExtraError(
                f"training needs {name} ({error}): pip install 'mijnlieff[{extra}]'"
            ) from error


def prepare_packages(tensorboard: bool | None) -> None:
    """Make sure that a run has what it needs, before it touches anything.

    Args:
        tensorboard: whether its event files are wanted for certain.

    Raises:
        MissingExtraError: PyTorch or matplotlib is not installed, or TensorBoard if it is wanted.
    """
    # By default OpenMP's threads spin while they wait for each other, which makes training many
    # times slower as soon as another process wants a core. Read when PyTorch is imported.
    os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
    require_train_extra("torch", "matplotlib")
    if tensorboard:
        require_train_extra("torch.utils.tensorboard", extra="tensorboard")
