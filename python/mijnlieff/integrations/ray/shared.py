"""Solving, grading and matches, with the work shared among the workers of a cluster.

The results equal those of the functions of the same name in `mijnlieff`, as long as the choices of
a policy do not depend on earlier ones. That holds for the built-in policies, which start every part
of the work with their own seed, and for networks that play their best action.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import ray
from numpy.typing import NDArray

from mijnlieff import GradeReport, MatchReport, Position, TournamentReport, Variant
from mijnlieff._mijnlieff import BuiltinPolicy, common_variant
from mijnlieff.evaluation.grading import GradePart, GradePlan, JudgedPart
from mijnlieff.evaluation.match import (
    Conditions,
    match_names,
    match_report,
    pairs_at_once,
    play,
    play_pairs,
)
from mijnlieff.evaluation.tournament import schedule
from mijnlieff.integrations.ray.cluster import RayCluster, cluster_or_local
from mijnlieff.policies.base import Policy, PolicyLike, make_policy
from mijnlieff.solving import SolutionBatch
from mijnlieff.solving import solve_batch as solve_here

__all__ = ["evaluate", "grade", "solve_batch", "tournament"]

_POSITIONS = 256
_NATIVE_PAIRS = 512


def solve_batch(
    positions: Sequence[Position], *, cluster: RayCluster | None = None
) -> SolutionBatch:
    """Return the exact margins of many positions of one variant, and of all their actions.

    Workers get 256 positions at a time, in the order given, and keep the tables of their solvers.

    Args:
        positions: as for `mijnlieff.solve_batch`.
        cluster: the workers; None uses those of this machine.

    Raises:
        ClusterError: there are no workers, or they die again and again.
        ValueError: no position or several variants.
        TypeError: an item is not a `Position`.
    """
    common_variant(positions)
    parts = [
        (list(positions[start : start + _POSITIONS]),)
        for start in range(0, len(positions), _POSITIONS)
    ]
    with cluster_or_local(cluster) as pool:
        solved = pool.map(_solve, parts)
    return SolutionBatch(
        np.concatenate([part.margins for part in solved]),
        np.concatenate([part.action_margins for part in solved]),
        np.concatenate([part.action_mask for part in solved]),
    )


def grade(
    policy: PolicyLike,
    positions: int | str = 10_000,
    seed: int = 0,
    variant: Variant | None = None,
    *,
    name: str | None = None,
    cluster: RayCluster | None = None,
) -> GradeReport:
    """Grade a policy against exact play.

    Workers draw, solve and judge 1,024 positions at a time.

    Args:
        policy: as for `mijnlieff.grade`; one that is not built in must be picklable.
        positions: as for `mijnlieff.grade`.
        seed: as for `mijnlieff.grade`.
        variant: as for `mijnlieff.grade`.
        name: the name of the policy in the report; None is its `repr`.
        cluster: the workers; None uses those of this machine.

    Raises:
        ClusterError: there are no workers, or they die again and again.
        ValueError: see `mijnlieff.grade`, also for the other errors.
        PolicyError: the policy chose an illegal action.
    """
    plan = GradePlan.checked(policy, positions, seed, variant, name)
    with cluster_or_local(cluster) as pool:
        sent = ray.put(plan)
        return plan.report(pool.map(_judge, [(sent, part) for part in plan.parts()]))


def evaluate(
    policy: PolicyLike,
    opponent: PolicyLike,
    games: int = 1000,
    variant: Variant | None = None,
    opening_plies: int = 2,
    seed: int = 0,
    *,
    names: tuple[str, str] | None = None,
    cluster: RayCluster | None = None,
) -> MatchReport:
    """Play a match and return the report.

    Workers play 1,024 games at a time of two built-in policies, otherwise 8,192.

    Args:
        policy: as for `mijnlieff.evaluate`; one that is not built in must be picklable.
        opponent: the same.
        games: as for `mijnlieff.evaluate`.
        variant: as for `mijnlieff.evaluate`.
        opening_plies: as for `mijnlieff.evaluate`.
        seed: as for `mijnlieff.evaluate`.
        names: the names of both policies in the report; None is their `repr`.
        cluster: the workers; None uses those of this machine.

    Raises:
        ClusterError: there are no workers, or they die again and again.
        ValueError: see `mijnlieff.evaluate`, also for the other errors.
        PolicyError: a policy chose an illegal action.
    """
    conditions = Conditions.checked(games, variant, opening_plies, seed, 1)
    named = match_names(policy, opponent, names)
    first, second = make_policy(policy), make_policy(opponent)
    # Others play the same parts as here, because the order of decisions depends on the parts.
    is_native = isinstance(first, BuiltinPolicy) and isinstance(second, BuiltinPolicy)
    length = _NATIVE_PAIRS if is_native else pairs_at_once(first, second)
    pairs = conditions.games // 2
    with cluster_or_local(cluster) as pool:
        players = ray.put((first, second))
        parts = [
            (players, conditions, number, min(length, pairs - number))
            for number in range(0, pairs, length)
        ]
        return match_report(named, pool.map(_play_pairs, parts), conditions)


def tournament(
    policies: Mapping[str, PolicyLike],
    games: int = 1000,
    variant: Variant | None = None,
    opening_plies: int = 2,
    seed: int = 0,
    *,
    cluster: RayCluster | None = None,
) -> TournamentReport:
    """Play a match between every pair of policies, each match on one worker.

    Args:
        policies: as for `mijnlieff.tournament`; those that are not built in must be picklable.
        games: as for `mijnlieff.tournament`.
        variant: as for `mijnlieff.tournament`.
        opening_plies: as for `mijnlieff.tournament`.
        seed: as for `mijnlieff.tournament`.
        cluster: the workers; None uses those of this machine.

    Raises:
        ClusterError: there are no workers, or they die again and again.
        ValueError: see `mijnlieff.tournament`, also for the other errors.
        PolicyError: a policy chose an illegal action.
    """
    conditions = Conditions.checked(games, variant, opening_plies, seed, 1)
    matches = schedule(policies, conditions)
    with cluster_or_local(cluster) as pool:
        players = {name: ray.put(make_policy(policy)) for name, policy in policies.items()}
        parts = [
            (players[first], players[second], match, (first, second))
            for first, second, match in matches
        ]
        reports = pool.map(_play, parts)
    return TournamentReport.from_matches(reports, seed=conditions.seed)


def _solve(positions: list[Position]) -> SolutionBatch:
    return solve_here(positions, 1)


def _judge(plan: GradePlan, part: GradePart) -> JudgedPart:
    return plan.judge(part, 1)


def _play_pairs(
    policies: tuple[Policy, Policy], conditions: Conditions, number: int, count: int
) -> NDArray[np.int64]:
    return play_pairs(*policies, conditions, number, count, _ignore)


def _play(
    policy: Policy, opponent: Policy, conditions: Conditions, names: tuple[str, str]
) -> MatchReport:
    return play(policy, opponent, conditions, None, names)


def _ignore(games: int) -> None:
    """Do nothing, in place of a progress bar."""
