"""The Gymnasium environment id."""

from __future__ import annotations

import gymnasium

__all__ = ["ENV_ID", "register_envs"]

ENV_ID = "Mijnlieff-v0"


def register_envs() -> None:
    """Register `ENV_ID` for ``gymnasium.make`` and ``gymnasium.make_vec``, once.

    The defaults are those of `MijnlieffEnv` both times. Every vectorization mode plays the same
    games, but ``"sync"`` and ``"async"`` reset a finished one in the next step unless told
    otherwise, and `mijnlieff.VectorEnv` in the same.
    """
    if ENV_ID not in gymnasium.registry:
        gymnasium.register(
            ENV_ID,
            entry_point="mijnlieff.envs:MijnlieffEnv",
            vector_entry_point="mijnlieff.envs:VectorEnv",
            kwargs={"opponent": "random", "illegal_action": "lose"},
        )
