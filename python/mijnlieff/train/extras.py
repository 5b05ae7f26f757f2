"""The optional packages that training needs, asked for before anything else happens."""

from __future__ import annotations

import importlib

from mijnlieff.errors import MissingExtraError

__all__ = ["require_train_extra"]


def require_train_extra(*modules: str) -> None:
    """Import packages of the `train` extra.

    Args:
        modules: names of the packages.

    Raises:
        MissingExtraError: one is not installed; the message gives the command that installs it.
    """
    for name in modules:
        try:
            importlib.import_module(name)
        except ImportError as error:
            raise MissingExtraError(
                f"training needs {name} ({error}): pip install 'mijnlieff[train]'"
            ) from error
