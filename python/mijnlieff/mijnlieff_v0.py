"""The game as a PettingZoo environment: ``mijnlieff_v0.env()``.

`player_0` is Light and moves first, `player_1` is Dark. See `mijnlieff.envs.aec`.
"""

from mijnlieff.envs.aec import env, raw_env

__all__ = ["env", "raw_env"]
