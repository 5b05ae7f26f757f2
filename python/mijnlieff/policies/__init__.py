"""Policies: everything that chooses actions.

The built-in ones are native, see `mijnlieff.RandomPolicy`, `mijnlieff.GreedyPolicy`,
`mijnlieff.MinimaxPolicy` and `mijnlieff.PerfectPolicy`.
"""

from mijnlieff._mijnlieff import BuiltinPolicy
from mijnlieff.policies.base import GamePolicy, Policy, act_checked
from mijnlieff.policies.exported import ChampionPolicy, ExportedPolicy
from mijnlieff.policies.function import FunctionPolicy
from mijnlieff.policies.load import load_policy
from mijnlieff.policies.mcts import MCTSPolicy
from mijnlieff.policies.network import NetworkPolicy
from mijnlieff.policies.pool import OpponentPool

__all__ = [
    "BuiltinPolicy",
    "ChampionPolicy",
    "ExportedPolicy",
    "FunctionPolicy",
    "GamePolicy",
    "MCTSPolicy",
    "NetworkPolicy",
    "OpponentPool",
    "Policy",
    "act_checked",
    "load_policy",
]
