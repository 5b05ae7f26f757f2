"""Arguments that are one of a few names."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["check_choice"]


def check_choice(name: str, value: object, choices: Iterable[str | None]) -> None:
    """Raise unless an argument is one of these choices.

    Raises:
        ValueError: it is not; the message lists the choices.
    """
    allowed = list(choices)
    if value not in allowed:
        names = ", ".join(map(str, allowed))
        raise ValueError(f"unknown {name} {value!r}; choose one of {names}")
