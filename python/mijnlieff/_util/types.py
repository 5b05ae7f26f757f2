"""Arguments of one type."""

from __future__ import annotations

__all__ = ["check_type"]


def check_type(name: str, value: object, kind: type) -> None:
    """Raise unless an argument has this type.

    Raises:
        TypeError: it has another.
    """
    if not isinstance(value, kind):
        raise TypeError(f"{name} must be a {kind.__name__}, not {value!r}")
