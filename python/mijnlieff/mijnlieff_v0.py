"""The game as a PettingZoo environment: ``mijnlieff_v0.env()``.

`player_0` is Light and moves first, `player_1` is Dark. See `mijnlieff.envs.aec`.
"""

from mijnlieff.envs.aec import env, raw_env
from mijnlieff.envs.registration import register_aec

__all__ = ["env", "raw_env"]

register_aec()
