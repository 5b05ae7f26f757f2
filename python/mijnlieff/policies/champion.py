"""The policy that plays by the network in the package."""

from __future__ import annotations

from functools import cache
from typing import SupportsIndex

from mijnlieff._mijnlieff import Network, SearchOptions
from mijnlieff._util.files import package_data
from mijnlieff.errors import CheckpointError
from mijnlieff.policies.network import NetworkPolicy
from mijnlieff.policies.searches import ending_options, play_options

__all__ = ["ChampionPolicy", "champion_options"]

MARGIN_WEIGHT = 0.75
"""It learned exact margins, so the margin tells more about a position than the outcome does."""


def champion_options(num_simulations: SupportsIndex) -> SearchOptions:
    """Return the options of the champion's search, which solves positions near the end exactly.

    Args:
        num_simulations: of each search.

    Raises:
        ValueError: a number out of range.
        TypeError: the number is not an integer.
    """
    return ending_options(num_simulations, margin_weight=MARGIN_WEIGHT)


class ChampionPolicy(NetworkPolicy):
    """Plays by the network that comes with the package, see ``docs/champion.md``.

    The network was trained on the standard game. Its file is read on first use.

    Args:
        seed: as in `NetworkPolicy`.
        temperature: as in `NetworkPolicy`.
        search: as in `NetworkPolicy`; with a number of simulations, positions with at most 9 empty
            cells are solved exactly, and ``margin_weight`` is 0.75.

    Raises:
        ValueError: as in `NetworkPolicy`.
        TypeError: as in `NetworkPolicy`.
        CheckpointError: the file in the package is damaged.
    """

    def __init__(
        self,
        seed: SupportsIndex = 0,
        temperature: float = 0.0,
        search: SearchOptions | SupportsIndex | None = None,
    ) -> None:
        """Check the settings."""
        if search is not None:
            search = play_options(search, champion_options)
        super().__init__(_packaged_network(), temperature=temperature, search=search, seed=seed)

    def __repr__(self) -> str:
        """Return the settings; those that are the defaults are left out."""
        return f"ChampionPolicy({', '.join(self._settings())})"


@cache
def _packaged_network() -> Network:
    """Return the network that comes with the package, which is read once."""
    try:
        return Network(package_data("champion.bin"))
    except CheckpointError as error:
        raise CheckpointError(f"the champion of this package: {error}") from error
