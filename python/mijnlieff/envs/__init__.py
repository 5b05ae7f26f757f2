"""Environments of Gymnasium and PettingZoo; the latter are in `mijnlieff.mijnlieff_v0`."""

from mijnlieff.envs.packed import expand_packed
from mijnlieff.envs.registration import register_envs
from mijnlieff.envs.single import MijnlieffEnv
from mijnlieff.envs.vector import VectorEnv

__all__ = ["MijnlieffEnv", "VectorEnv", "expand_packed", "register_envs"]
