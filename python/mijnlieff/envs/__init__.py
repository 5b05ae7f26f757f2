"""Gymnasium environments; the PettingZoo environment is in `mijnlieff.mijnlieff_v0`."""

from mijnlieff._mijnlieff import rollout
from mijnlieff.envs.masked import MaskInObservation
from mijnlieff.envs.registration import register_envs
from mijnlieff.envs.single import MijnlieffEnv
from mijnlieff.envs.vector import VectorEnv

__all__ = ["MaskInObservation", "MijnlieffEnv", "VectorEnv", "register_envs", "rollout"]
