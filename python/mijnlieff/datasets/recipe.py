"""What a data set is made of, as text that makes the same data set again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, SupportsIndex

from mijnlieff._mijnlieff import Variant, __version__, as_variant
from mijnlieff._util.arguments import (
    check_choice,
    check_type,
    integer_from,
    integer_in,
    seed_of,
)
from mijnlieff.errors import DatasetError
from mijnlieff.policies.load import check_policy_name
from mijnlieff.rules import VariantLike

__all__ = ["FILES", "LABELS", "Recipe"]

FORMAT = 1
FILES = ("numpy", "parquet")
LABELS = ("exact", "none")
MOST_GAMES = 50_000_000
"""As the files of 500 games are numbered by five digits."""


class Recipe:
    """A recipe of games; the same one makes the same games in every run of a version.

    Args:
        light: the name of a policy for `load_policy`. It plays both sides without `dark`. No file
            is read and no module imported before `make_dataset` plays or `to_minari` makes their
            environment. Each file of 500 games is played by a fresh copy of an object from a
            module, so what it draws or learns in one does not reach the next.
        dark: the name of another one. The first then plays Light in games of even number and Dark
            in the others.
        games: how many games, up to 50,000,000.
        seed: the seed of openings and players, 0 to 2**64 - 1. Those of different seeds are
            independent.
        variant: the variant; None is the standard game.
        opening_plies: random plies before the players take over, which are not part of the data.
        labels: ``"exact"`` for the exact value of every action where the solver reaches it, see
            `Position.is_solvable`, or ``"none"``.
        files: ``"numpy"`` or ``"parquet"``, which needs pyarrow.

    Raises:
        ValueError: an unknown policy or choice, or a number out of range.
        TypeError: a name is not text, not a variant, or a number is not an integer.
    """

    def __init__(
        self,
        light: str,
        dark: str | None = None,
        *,
        games: SupportsIndex = 1000,
        seed: SupportsIndex = 0,
        variant: VariantLike | None = None,
        opening_plies: SupportsIndex = 2,
        labels: str = "exact",
        files: str = "numpy",
    ) -> None:
        """Check the parts."""
        self.players = (light, light if dark is None else dark)
        for name in self.players:
            check_type("a player", name, str)
            check_policy_name(name)
        check_choice("labels", labels, LABELS)
        check_choice("files", files, FILES)
        self.games = integer_in("games", games, 1, MOST_GAMES)
        self.seed = seed_of(seed)
        self.variant: Variant = as_variant(variant)
        self.opening_plies = integer_from("opening_plies", opening_plies, 0)
        self.labels = labels
        self.files = files

    def __eq__(self, other: object) -> bool:
        """Whether two recipes make the same data set."""
        return isinstance(other, Recipe) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        """Return a hash that equal recipes share."""
        return hash((self.players, self.games, self.seed, self.variant))

    def __repr__(self) -> str:
        """Return the players, the number of games and the seed."""
        players = " and ".join(dict.fromkeys(self.players))
        return f"Recipe({players}, games={self.games}, seed={self.seed})"

    def to_dict(self) -> dict[str, Any]:
        """Return the parts as JSON takes them, with the versions of format and package."""
        return {
            "format": FORMAT,
            "mijnlieff": __version__,
            "players": list(self.players),
            "games": self.games,
            "seed": self.seed,
            "variant": self.variant.to_dict(),
            "opening_plies": self.opening_plies,
            "labels": self.labels,
            "files": self.files,
        }

    @classmethod
    def from_dict(cls, parts: Mapping[str, Any]) -> Recipe:
        """Return the recipe with these parts, as `to_dict` returns them.

        Raises:
            DatasetError: of another version of the format, or a part is missing or wrong.
        """
        version = parts.get("format") if isinstance(parts, Mapping) else None
        if version != FORMAT:
            raise DatasetError(f"it has version {version!r} of the format; this reads {FORMAT}")
        known = {key: value for key, value in parts.items() if key not in ("format", "mijnlieff")}
        try:
            light, dark = known.pop("players")
            for name in (light, dark):
                check_type("a player", name, str)
            # A run or a file may have been moved since it played.
            recipe = cls("random", **known)
            recipe.players = (light, dark)
            if missing := recipe.to_dict().keys() - parts.keys() - {"mijnlieff"}:
                raise ValueError(f"it has no {', '.join(sorted(missing))}")
            return recipe
        except (KeyError, TypeError, ValueError) as error:
            raise DatasetError(f"its recipe is damaged: {error}") from error
