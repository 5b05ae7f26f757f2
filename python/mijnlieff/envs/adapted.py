"""What the vectorized environments of other frameworks show of the batch that plays their games."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mijnlieff._mijnlieff import Canvas, Position, Variant
    from mijnlieff.envs.vector import VectorEnv

__all__ = ["AdaptedGames"]


class AdaptedGames:
    """The part of an adapter that asks its batch, which it keeps as ``_games``."""

    if TYPE_CHECKING:
        _games: VectorEnv

    @property
    def variant(self) -> Variant | None:
        """The variant that is played; None if there are several."""
        return self._games.variant

    @property
    def canvas(self) -> Canvas | None:
        """The canvas of observations and actions, None if there is none."""
        return self._games.canvas

    def positions(self) -> list[Position]:
        """Return the position of each game."""
        return self._games.positions()
