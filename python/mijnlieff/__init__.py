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

import importlib.util
from typing import TYPE_CHECKING

from mijnlieff import errors, functional
from mijnlieff._mijnlieff import (
    Board,
    BuiltinPolicy,
    Canvas,
    GreedyPolicy,
    MinimaxPolicy,
    Network,
    PerfectPolicy,
    Position,
    RandomPolicy,
    SearchOptions,
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
from mijnlieff.envs import (
    MaskInObservation,
    MijnlieffEnv,
    VectorEnv,
    expand_packed,
    register_envs,
)
from mijnlieff.errors import *  # noqa: F403 - the list of exceptions is kept in one place
from mijnlieff.evaluation import (
    Benchmark,
    BestResponse,
    BestResponseCase,
    GradeReport,
    MatchReport,
    ReviewedMove,
    TournamentReport,
    benchmark,
    best_response,
    evaluate,
    grade,
    review,
    tournament,
)
from mijnlieff.pieces import Piece
from mijnlieff.policies import (
    ChampionPolicy,
    ExportedPolicy,
    FunctionPolicy,
    GamePolicy,
    MCTSPolicy,
    NetworkPolicy,
    OpponentPool,
    Policy,
    load_policy,
)
from mijnlieff.self_play import SelfPlay, SelfPlaySamples, SelfPlayStatistics
from mijnlieff.solving import (
    Solution,
    SolutionBatch,
    can_solve,
    set_table_bytes,
    solve,
    solve_batch,
)

__all__ = [
    "Benchmark",
    "BestResponse",
    "BestResponseCase",
    "Board",
    "BuiltinPolicy",
    "ChampionPolicy",
    "ExportedPolicy",
    "Canvas",
    "FunctionPolicy",
    "GamePolicy",
    "GradeReport",
    "GreedyPolicy",
    "MCTSPolicy",
    "MaskInObservation",
    "MatchReport",
    "MijnlieffEnv",
    "MinimaxPolicy",
    "Network",
    "NetworkPolicy",
    "OpponentPool",
    "PerfectPolicy",
    "Piece",
    "Policy",
    "Position",
    "RandomPolicy",
    "ReviewedMove",
    "SearchOptions",
    "SelfPlay",
    "SelfPlaySamples",
    "SelfPlayStatistics",
    "Solution",
    "SolutionBatch",
    "TournamentReport",
    "TreeSearch",
    "Variant",
    "VectorEnv",
    "__version__",
    "benchmark",
    "best_response",
    "can_solve",
    "evaluate",
    "expand_packed",
    "format_record",
    "functional",
    "grade",
    "load_policy",
    "mask_batch",
    "observe_batch",
    "parse_record",
    "perft",
    "play_match",
    "random_openings",
    "review",
    "rollout",
    "set_table_bytes",
    "solve",
    "solve_batch",
    "tournament",
    *errors.__all__,
]

if TYPE_CHECKING:
    from mijnlieff.widget.notebook import Widget as Widget

register_envs()


def __getattr__(name: str) -> object:
    """Import `Widget` when it is first asked for, as it needs an extra."""
    if name == "Widget":
        from mijnlieff.widget.notebook import Widget

        return Widget
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """List `Widget` where it can be imported."""
    extra = ["Widget"] if importlib.util.find_spec("anywidget") else []
    return sorted([*globals(), *extra])
