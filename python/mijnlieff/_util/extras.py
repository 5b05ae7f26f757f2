"""Errors for optional packages that are missing or too old.

This module is part of ``import mijnlieff``. So `importlib.metadata`, which imports the packages for
e-mail and for zip files, waits until it is needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from mijnlieff.errors import MissingExtraError

__all__ = ["needs", "require_version"]


@contextmanager
def needs(feature: str, package: str, extra: str) -> Iterator[None]:
    """Turn the error of an import in the block into one that says what to install.

    Args:
        feature: what needs the package, as the subject of the sentence.
        package: the package's usual name.
        extra: the extra that installs it.

    Raises:
        MissingExtraError: an import failed. It has no cause: its message has that error's text.
    """
    try:
        yield
    except MissingExtraError:
        raise
    except ImportError as error:
        from importlib.metadata import PackageNotFoundError

        # The message of this error only repeats that the package is missing.
        reason = "" if isinstance(error, PackageNotFoundError) else f" ({error})"
        raise MissingExtraError(
            f"{feature} needs {package}{reason}: pip install 'mijnlieff[{extra}]'"
        ) from None


def require_version(feature: str, distribution: str, minimum: str, extra: str) -> None:
    """Raise unless a distribution is installed and new enough.

    Args:
        feature: what needs the distribution, as the subject of the sentence.
        distribution: its name on PyPI.
        minimum: the oldest version that works, as numbers with dots.
        extra: the extra that installs it.

    Raises:
        MissingExtraError: it is missing or older; the message names both versions.
    """
    with needs(feature, distribution, extra):
        found = version(distribution)
    if _numbers(found) < _numbers(minimum):
        raise MissingExtraError(
            f"{feature} needs {distribution} {minimum} or newer, not {found}: "
            f"pip install --upgrade 'mijnlieff[{extra}]'"
        )


def version(distribution: str) -> str:
    """Return the version of a distribution that is installed.

    Raises:
        PackageNotFoundError: it is not, which is an ImportError.
    """
    from importlib import metadata

    return metadata.version(distribution)


def _numbers(version: str) -> list[int]:
    """Leading numbers of a version: [2, 9, 0] of "2.9.0a1"."""
    match = re.match(r"\d+(\.\d+)*", version)
    return [int(part) for part in match[0].split(".")] if match else []
