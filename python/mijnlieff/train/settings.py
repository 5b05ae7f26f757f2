"""Declares settings: the default, meaning and range of each in one place.

A config is a frozen dataclass whose fields are made by `setting`. Validation, the options of the
command line and the list of attributes in the class docstring all come from these declarations.
"""

from __future__ import annotations

import dataclasses
import inspect
import sys
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from mijnlieff._util.arguments import plain_number

__all__ = ["Setting", "check_settings", "documented", "setting", "settings_of"]

_T = TypeVar("_T")
_C = TypeVar("_C", bound=type)
_KEY = "setting"


@dataclass(frozen=True, slots=True)
class Setting:
    """The meaning of a setting, and the values it takes.

    Attributes:
        default: the value unless another is given; None, for integers only, leaves the choice to
            the machine.
        help: the meaning, a phrase without a full stop.
        low: the least number.
        high: the greatest number.
        choices: the values of a text.
        even: whether the number must be even.
        algo: the one algorithm that uses it, or `"boards"` for runs on many boards; None if all
            do.
        may_change: whether a resumed run may have another value than before.
    """

    default: Any
    help: str
    low: float = 0
    high: float = sys.float_info.max
    choices: tuple[str, ...] = ()
    even: bool = False
    algo: str | None = None
    may_change: bool = False

    @property
    def kind(self) -> type:
        """`int`, `float` or `str`."""
        return int if self.default is None else type(self.default)

    def check(self, name: str, value: Any) -> Any:
        """Refuse a value of the wrong kind or out of range.

        Args:
            name: the setting, for the message.
            value: the value.

        Returns:
            The value; in place of a number of NumPy the equal number of Python.

        Raises:
            ValueError: names the setting, the value and what would be right.
        """
        if self.kind is str:
            if not isinstance(value, str) or value not in self.choices:
                raise ValueError(f"unknown {name} {value!r}; choose {self.range_text()}")
            return str(value)
        if value is None and self.default is None:
            return None
        number = plain_number(value, whole=self.kind is int)
        # NaN fails every comparison.
        if number is None or not self.low <= number <= self.high or (self.even and number % 2):
            raise ValueError(f"{name} must be {self.range_text()}, not {value!r}")
        return number

    def range_text(self) -> str:
        """The allowed values in words, such as "an integer from 1 to 8192"."""
        if self.kind is str:
            return " or ".join(self.choices)
        integer = "an even integer" if self.even else "an integer"
        number = integer if self.kind is int else "a number"
        top = "" if self.high == sys.float_info.max else f" to {self.high}"
        return f"{number} from {self.low}{top}"

    def default_text(self, name: str, presets: Mapping[str, Mapping[str, Any]]) -> str:
        """The defaults in words, such as "4096; 512 for alphazero".

        Args:
            name: the setting.
            presets: other defaults by setting, and when each of these sets applies.
        """
        texts = ["the machine's choice" if self.default is None else str(self.default)]
        texts += [f"{values[name]} {when}" for when, values in presets.items() if name in values]
        return "; ".join(texts)


def setting(default: _T, help: str, **declared: Any) -> _T:
    """Declare a field of a config.

    Args:
        default: the default.
        help: the meaning, a phrase without a full stop.
        declared: other attributes of `Setting`.
    """
    metadata = {_KEY: Setting(default, help, **declared)}
    return dataclasses.field(default=default, metadata=metadata)


def settings_of(config: Any) -> dict[str, Setting]:
    """The declarations of a config by name.

    Args:
        config: a class whose fields are made by `setting`, or an instance of it.
    """
    return {field.name: field.metadata[_KEY] for field in dataclasses.fields(config)}


def check_settings(config: Any) -> None:
    """Check every field of a config, and put Python numbers in place of those of NumPy.

    Args:
        config: an instance of a class whose fields are made by `setting`, which may be frozen.

    Raises:
        ValueError: names the first wrong field, its value and what would be right.
    """
    for name, declared in settings_of(config).items():
        object.__setattr__(config, name, declared.check(name, getattr(config, name)))


def documented(presets: Mapping[str, Mapping[str, Any]]) -> Callable[[_C], _C]:
    """Class decorator that lists the settings in the docstring of a config.

    Args:
        presets: see `Setting.default_text`.
    """

    def document(config: _C) -> _C:
        text = inspect.cleandoc(config.__doc__ or "")
        config.__doc__ = "\n".join([text, "", "Attributes:", *_attributes(config, presets)])
        return config

    return document


def _attributes(config: type, presets: Mapping[str, Mapping[str, Any]]) -> list[str]:
    wrapper = textwrap.TextWrapper(
        96, initial_indent=" " * 4, subsequent_indent=" " * 8, break_on_hyphens=False
    )
    return [
        wrapper.fill(
            f"{name}: {f'({declared.algo}) ' if declared.algo else ''}{declared.help}; "
            f"{declared.range_text()} (default: {declared.default_text(name, presets)})."
        )
        for name, declared in settings_of(config).items()
    ]
