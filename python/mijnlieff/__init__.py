"""Mijnlieff, a board game for two players, as a fast reinforcement-learning environment.

The objects of the rules are immutable: a `Board` is a set of cells, a `Variant` adds the opening
rule and the number of pieces, and a `Position` is the state of a game. Playing an action returns a
new position.

>>> import mijnlieff
>>> position = mijnlieff.Position()
>>> len(position.legal_actions())
48
>>> position.play("a1+").play("a3><").to_play
0
"""

import importlib
import importlib.util
from typing import TYPE_CHECKING

from mijnlieff import encoding, errors, functional
from mijnlieff._mijnlieff import (
    Board,
    Canvas,
    GreedyPolicy,
    MinimaxPolicy,
    Network,
    PerfectPolicy,
    Position,
    RandomPolicy,
    SearchOptions,
    Tablebase,
    TreeSearch,
    Variant,
    __version__,
    format_record,
    parse_record,
)
from mijnlieff.envs import MijnlieffEnv, VectorEnv, register_envs
from mijnlieff.errors import *  # noqa: F403 - the list of exceptions is kept in one place
from mijnlieff.evaluation import benchmark, best_response, evaluate, grade, review, tournament
from mijnlieff.policies import ChampionPolicy, NetworkPolicy, Policy, load_policy
from mijnlieff.rules import Piece
from mijnlieff.self_play import SelfPlay
from mijnlieff.solving import solve, solve_batch

if TYPE_CHECKING:
    from mijnlieff import datasets as datasets
    from mijnlieff import integrations as integrations
    from mijnlieff import jax as jax
    from mijnlieff import mijnlieff_v0 as mijnlieff_v0
    from mijnlieff import render as render
    from mijnlieff import train as train
    from mijnlieff import widget as widget
    from mijnlieff.widget.notebook import Widget as Widget

__all__ = [
    "Board",
    "Canvas",
    "ChampionPolicy",
    "GreedyPolicy",
    "MijnlieffEnv",
    "MinimaxPolicy",
    "Network",
    "NetworkPolicy",
    "PerfectPolicy",
    "Piece",
    "Policy",
    "Position",
    "RandomPolicy",
    "SearchOptions",
    "SelfPlay",
    "Tablebase",
    "TreeSearch",
    "Variant",
    "VectorEnv",
    "__version__",
    "benchmark",
    "best_response",
    "encoding",
    "errors",
    "evaluate",
    "format_record",
    "functional",
    "grade",
    "load_policy",
    "parse_record",
    "review",
    "solve",
    "solve_batch",
    "tournament",
    *errors.__all__,
]

# What is imported with the package, and has more names.
_MODULES = ["envs", "evaluation", "policies", "rules", "self_play", "solving"]

# What is imported when it is first asked for, and the package that it needs.
_LAZY = {
    "Widget": "anywidget",
    "datasets": None,
    "integrations": None,
    "jax": "pgx",
    "mijnlieff_v0": "pettingzoo",
    "render": None,
    "train": None,
    "widget": None,
}

register_envs()


def __getattr__(name: str) -> object:
    """Import a module, or `Widget`, when it is first asked for; some need an extra."""
    if name == "Widget":
        return importlib.import_module("mijnlieff.widget.notebook").Widget
    if name in _LAZY:
        return importlib.import_module(f"mijnlieff.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """List the public names and modules, the lazy ones where what they need is installed."""
    lazy = [name for name, package in _LAZY.items() if not package or _is_installed(package)]
    return sorted([*__all__, *_MODULES, *lazy])


def _is_installed(package: str) -> bool:
    return importlib.util.find_spec(package) is not None
