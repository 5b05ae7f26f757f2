"""Policies: everything that chooses actions.

The built-in ones are native, see `mijnlieff.RandomPolicy`, `mijnlieff.GreedyPolicy`,
`mijnlieff.MinimaxPolicy` and `mijnlieff.PerfectPolicy`.
"""

from mijnlieff._mijnlieff import BuiltinPolicy
from mijnlieff.policies.base import GamePolicy, Policy, act_checked
from mijnlieff.policies.champion import ChampionPolicy
from mijnlieff.policies.function import FunctionPolicy
from mijnlieff.policies.load import load_policy
from mijnlieff.policies.model import FunctionModel, Model
from mijnlieff.policies.network import NetworkPolicy
from mijnlieff.policies.pool import OpponentPool
from mijnlieff.policies.rollouts import RolloutPolicy

__all__ = [
    "BuiltinPolicy",
    "ChampionPolicy",
    "FunctionModel",
    "FunctionPolicy",
    "GamePolicy",
    "Model",
    "NetworkPolicy",
    "OpponentPool",
    "Policy",
    "RolloutPolicy",
    "act_checked",
    "load_policy",
]
