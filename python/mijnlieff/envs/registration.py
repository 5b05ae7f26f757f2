"""The Gymnasium environment id."""

from __future__ import annotations

import gymnasium

__all__ = ["ENV_ID", "register_envs"]

ENV_ID = "Mijnlieff-v0"


def register_envs() -> None:
    """Register `ENV_ID` for ``gymnasium.make`` and ``gymnasium.make_vec``, once.

    Both use the defaults of `MijnlieffEnv`. Every vectorization mode plays the same games, but
    ``"sync"`` and ``"async"`` default to next-step autoreset, and `mijnlieff.VectorEnv` to
    same-step autoreset.
    """
    if ENV_ID not in gymnasium.registry:
        gymnasium.register(
            ENV_ID,
            entry_point="mijnlieff.envs:MijnlieffEnv",
            vector_entry_point="mijnlieff.envs:VectorEnv",
            kwargs={"opponent": "random", "illegal_action": "lose"},
        )
