"""Seeds of many games from one."""

from __future__ import annotations

import numpy as np

__all__ = ["first_game_seed"]


def first_game_seed(seed: int, *key: int) -> int:
    """Return the seed of game 0, 0 to 2**64 - 1; those of the next games are consecutive.

    It is not `seed` itself, as consecutive seeds would share all games but one.

    Args:
        seed: the seed of all games.
        key: what tells these games from others with the same seed.
    """
    return int(np.random.SeedSequence(seed, spawn_key=key).generate_state(1, np.uint64)[0])
