"""Errors for optional packages that are missing or too old."""

from __future__ import annotations

import re
from importlib.metadata import PackageNotFoundError, version

from mijnlieff.errors import MissingExtraError

__all__ = ["missing_extra", "require_version"]


def missing_extra(feature: str, package: str, extra: str, error: ImportError) -> MissingExtraError:
    """Return the error for a package that cannot be imported.

    Args:
        feature: what needs the package, as the subject of the sentence.
        package: the package's usual name.
        extra: the extra that installs it.
        error: the error of the import.
    """
    return MissingExtraError(
        f"{feature} needs {package} ({error}): pip install 'mijnlieff[{extra}]'"
    )


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
    try:
        found = version(distribution)
    except PackageNotFoundError as error:
        raise missing_extra(feature, distribution, extra, error) from error
    if _numbers(found) < _numbers(minimum):
        raise MissingExtraError(
            f"{feature} needs {distribution} {minimum} or newer, not {found}: "
            f"pip install --upgrade 'mijnlieff[{extra}]'"
        )


def _numbers(version: str) -> list[int]:
    """Leading numbers of a version: [2, 9, 0] of "2.9.0a1"."""
    match = re.match(r"\d+(\.\d+)*", version)
    return [int(part) for part in match[0].split(".")] if match else []
