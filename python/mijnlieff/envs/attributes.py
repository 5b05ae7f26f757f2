"""Attributes and methods of the single games of a batch, by name, as frameworks ask for them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from mijnlieff._mijnlieff import Position, Variant

__all__ = ["AT_THE_END", "METHODS", "GameAttributes", "info_of"]

AT_THE_END = ("score", "winner", "illegal")
"""What the info of a game has at its end only."""

METHODS = ("action_masks", "render")
"""The methods of a single game that can be called from outside, all without arguments."""

#: Attributes that are the same for all games, and their names in the batch.
_SHARED = {
    "variant": "variant",
    "variants": "variants",
    "canvas": "canvas",
    "render_mode": "render_mode",
    "metadata": "metadata",
    "observation_space": "single_observation_space",
    "action_space": "single_action_space",
}
_NAMES = ("position", *_SHARED, *METHODS)


def info_of(infos: Mapping[str, Any], i: int) -> dict[str, Any]:
    """Return the info of a game of a batch, as `MijnlieffEnv` gives it.

    Args:
        infos: the arrays of the batch by name.
        i: the index of the game.
    """
    names = ("action_mask", "to_play", "variant", "score", "winner")
    info = {name: infos[name][i] for name in names if name in infos}
    if "illegal" in infos:
        # An array, as readers of infos ask for a dtype, and Gymnasium's vector environments make
        # arrays of objects from NumPy's own bools.
        info["illegal"] = infos["illegal"][i, ...]
    return info


class GameAttributes:
    """The part of `VectorEnv` that answers as if every game were a separate environment.

    Attributes that a caller has set are kept, by game, and change nothing.
    """

    if TYPE_CHECKING:
        num_envs: int
        variant: Variant | None
        positions: Callable[[], list[Position]]

    def __init__(self) -> None:
        """Start without attributes of callers."""
        self._kept: dict[str, dict[int, Any]] = {}

    def call(self, name: str, *args: Any, **kwargs: Any) -> tuple[Any, ...]:
        """Call a method of each game, or return an attribute, as Gymnasium's `SyncVectorEnv` does.

        Args:
            name: ``"action_masks"``, ``"render"``, or an attribute for `get_attr`.
            *args: must be empty, as neither method takes an argument.
            **kwargs: must be empty.

        Returns:
            For each game what `MijnlieffEnv` would return.

        Raises:
            AttributeError: there is neither a method nor an attribute of this name.
            TypeError: there are arguments.
        """
        if name in METHODS:
            return tuple(self._call(name, args, kwargs))
        return tuple(self._attribute(name, range(self.num_envs)))

    def get_attr(self, name: str) -> tuple[Any, ...]:
        """Return an attribute of each game.

        Args:
            name: ``"position"``, ``"variant"``, ``"variants"``, ``"canvas"``, ``"render_mode"``,
                ``"metadata"``, ``"observation_space"``, ``"action_space"``, or one that `set_attr`
                has set. The name of a method gives its results, as in Gymnasium's `SyncVectorEnv`.

        Raises:
            AttributeError: there is no such attribute.
        """
        return self.call(name)

    def set_attr(self, name: str, values: Any) -> None:
        """Set an attribute of each game; it is kept for `get_attr` and changes nothing.

        Args:
            name: the attribute.
            values: a list or tuple with one value for each game, or one value for all.

        Raises:
            AttributeError: the games have an attribute of this name, which cannot be set.
            ValueError: a list or tuple of another length.
        """
        each = values if isinstance(values, list | tuple) else [values] * self.num_envs
        if len(each) != self.num_envs:
            raise ValueError(f"{self.num_envs} games need {self.num_envs} values, not {len(each)}")
        self._keep(name, dict(enumerate(each)))

    def _attribute(self, name: str, chosen: Sequence[int]) -> list[Any]:
        """Return an attribute of each of the chosen games."""
        if name == "position" or (name == "variant" and self.variant is None):
            positions = self.positions()
            return [positions[i] if name == "position" else positions[i].variant for i in chosen]
        if name in _SHARED:
            return [getattr(self, _SHARED[name])] * len(chosen)
        kept = self._kept.get(name, {})
        if chosen and all(i in kept for i in chosen):
            return [kept[i] for i in chosen]
        raise AttributeError(f"the games have no attribute {name!r}; they have {', '.join(_NAMES)}")

    def _keep(self, name: str, values: Mapping[int, Any]) -> None:
        """Keep the values of an attribute, by game."""
        if name in _NAMES:
            raise AttributeError(f"{name!r} cannot be set; make a new environment")
        self._kept.setdefault(name, {}).update(values)

    def _call(self, name: str, args: tuple[Any, ...], kwargs: Mapping[str, Any]) -> list[Any]:
        """Call a method of every game."""
        if name not in METHODS:
            raise AttributeError(
                f"the games have no method {name!r} to call from outside; they have "
                f"{' and '.join(METHODS)}"
            )
        if args or kwargs:
            raise TypeError(f"{name} takes no arguments")
        results = getattr(self, name)()
        return [None] * self.num_envs if results is None else list(results)
