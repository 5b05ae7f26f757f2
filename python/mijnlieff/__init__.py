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

from mijnlieff import errors, functional
from mijnlieff._mijnlieff import (
    Board,
    BuiltinPolicy,
    GreedyPolicy,
    MinimaxPolicy,
    PerfectPolicy,
    Position,
    RandomPolicy,
    TreeSearch,
    Variant,
    __version__,
    format_record,
    mask_batch,
    observe_batch,
    parse_record,
    perft,
    play_match,
    random_openings,
    rollout,
)
from mijnlieff.envs import MijnlieffEnv, VectorEnv, expand_packed, register_envs
from mijnlieff.errors import *  # noqa: F403 - the list of exceptions is kept in one place
from mijnlieff.evaluation import (
    GradeReport,
    MatchReport,
    TournamentReport,
    evaluate,
    grade,
    tournament,
)
from mijnlieff.pieces import Piece
from mijnlieff.policies import (
    ChampionPolicy,
    ExportedPolicy,
    MCTSPolicy,
    NetworkPolicy,
    Policy,
    make_policy,
)
from mijnlieff.solving import Solution, SolutionBatch, set_table_bytes, solve, solve_batch

__all__ = [
    "Board",
    "BuiltinPolicy",
    "ChampionPolicy",
    "ExportedPolicy",
    "GradeReport",
    "GreedyPolicy",
    "MCTSPolicy",
    "MatchReport",
    "MijnlieffEnv",
    "MinimaxPolicy",
    "NetworkPolicy",
    "PerfectPolicy",
    "Piece",
    "Policy",
    "Position",
    "RandomPolicy",
    "Solution",
    "SolutionBatch",
    "TournamentReport",
    "TreeSearch",
    "Variant",
    "VectorEnv",
    "__version__",
    "evaluate",
    "expand_packed",
    "format_record",
    "functional",
    "grade",
    "make_policy",
    "mask_batch",
    "observe_batch",
    "parse_record",
    "perft",
    "play_match",
    "random_openings",
    "rollout",
    "set_table_bytes",
    "solve",
    "solve_batch",
    "tournament",
    *errors.__all__,
]

register_envs()
