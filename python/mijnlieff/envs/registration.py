"""The names of the environments in Gymnasium and PettingZoo."""

from __future__ import annotations

import sys
from typing import Any

import gymnasium

from mijnlieff.envs.options import AGENT_OPTIONS
from mijnlieff.envs.vector import VectorEnv

__all__ = ["AEC_ID", "ENV_ID", "register_aec", "register_envs"]

ENV_ID = "Mijnlieff-v0"
AEC_ID = "mijnlieff-v0"

_has_aec = False


def register_aec() -> None:
    """Register `AEC_ID` for ``pettingzoo.make``, if PettingZoo has been imported.

    PettingZoo does not look for plugins, and importing it takes time that most users do not need.
    So this runs when `mijnlieff` is imported after PettingZoo, and when `mijnlieff_v0` is imported.
    PettingZoo before 1.27 may have no registry.
    """
    global _has_aec
    register = getattr(sys.modules.get("pettingzoo"), "register", None)
    if register is not None and not _has_aec:
        register("aec", AEC_ID, "mijnlieff.envs.aec:env")
        _has_aec = True


def make_native(
    num_envs: int, *, max_episode_steps: int | None = None, **options: Any
) -> VectorEnv:
    """Return what ``gymnasium.make_vec`` makes of `ENV_ID` without another vectorization.

    Raises:
        TypeError: there is a limit of steps, or an option does not exist or has a wrong type.
    """
    if max_episode_steps is not None:
        raise TypeError(
            f"max_episode_steps={max_episode_steps}: games end by themselves, after at most "
            "Variant.max_game_length actions, and native ones are not cut off; leave the option "
            "out, or use vectorization_mode='sync'"
        )
    return VectorEnv(num_envs, **options)


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
            vector_entry_point="mijnlieff.envs.registration:make_native",
            kwargs=dict(AGENT_OPTIONS),
        )
    register_aec()
