"""The names of the environments in Gymnasium and PettingZoo."""

from __future__ import annotations

import sys

import gymnasium

from mijnlieff.envs.options import AGENT_OPTIONS

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
            kwargs=dict(AGENT_OPTIONS),
        )
    register_aec()
