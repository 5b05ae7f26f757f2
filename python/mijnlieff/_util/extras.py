"""Errors for optional packages that are missing or too old.

This module is part of ``import mijnlieff``. So `importlib.metadata`, which imports the packages for
e-mail and for zip files, waits until it is needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from mijnlieff.errors import MissingExtraError

__all__ = ["needs"]


@contextmanager
def needs(feature: str, package: str, extra: str, *oldest: str) -> Iterator[None]:
    """Turn the error of an import in the block into one that says what to install.

    Versions are looked at before the block, since in an old package names are missing, and the
    error of such an import would not tell why.

    Args:
        feature: what needs the package, as the subject of the sentence.
        package: the package's usual name.
        extra: the extra that installs it.
        oldest: the oldest versions that work, such as ``"ray>=2.50"``, by names on PyPI.

    Raises:
        MissingExtraError: an import failed, or a version is missing or older; the message names
            both versions. It has no cause: its message has the text of the import's error.
    """
    try:
        for distribution, _, minimum in (one.partition(">=") for one in oldest):
            found = version(distribution)
            if _numbers(found) < _numbers(minimum):
                raise MissingExtraError(
                    f"{feature} needs {distribution} {minimum} or newer, not {found}: "
                    f"pip install --upgrade 'mijnlieff[{extra}]'"
                )
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
