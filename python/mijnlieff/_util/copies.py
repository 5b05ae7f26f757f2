"""Copies of players, for games that must not depend on what was played before."""

from __future__ import annotations

import copy
from typing import TypeVar

from mijnlieff.errors import PolicyError

__all__ = ["own_copy"]

_Player = TypeVar("_Player")


def own_copy(player: _Player) -> _Player:
    """Return a deep copy of a player, which draws and remembers by itself.

    Raises:
        PolicyError: it cannot be copied, such as one that holds a connection.
    """
    try:
        return copy.deepcopy(player)
    except MemoryError:
        raise
    except Exception as error:  # its class may do anything
        raise PolicyError(
            f"{player!r} cannot be copied ({error}), and without a copy games would depend on "
            "earlier ones; if it keeps nothing of a game, give its class a __deepcopy__ that "
            "returns it"
        ) from error
