"""Grades: how often a policy plays an optimal action, and how much its errors cost."""

from __future__ import annotations

from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import (
    BuiltinPolicy,
    MinimaxPolicy,
    Position,
    RandomPolicy,
    Variant,
    integer,
    seed_of,
    threads_of,
)
from mijnlieff._util.progress import progress_bar
from mijnlieff.evaluation.benchmark import Benchmark, benchmark
from mijnlieff.evaluation.decisions import Decisions
from mijnlieff.evaluation.grade_report import GradeReport, Judged
from mijnlieff.policies.base import Policy, PolicyLike, choose_actions, make_policy
from mijnlieff.solving import SolutionBatch, solve_batch

__all__ = ["grade"]

_CHUNK = 1024


def grade(
    policy: PolicyLike,
    positions: int | str = 10_000,
    seed: int = 0,
    variant: Variant | None = None,
    progress: bool = False,
    num_threads: int | None = None,
    name: str | None = None,
) -> GradeReport:
    """Grade a policy against exact play.

    The positions are those of a benchmark, the same for everyone (see `benchmark`), or drawn. One
    third of drawn positions comes from random play, one third from minimax of depth 2 against
    itself, and one third from games of the policy against itself. Games start after 0 to 7 random
    plies. Each position is drawn from the decisions (turns with two or more legal actions) of
    one game, and no two games of a source start alike. So a policy that plays without chance is not
    asked about the same game again and again, and the intervals, which take positions for
    independent, hold for games too. A position is counted once: one that is equal to an earlier
    one, up to symmetries of the board, is left out. Small boards may have fewer positions than
    asked for.

    Args:
        policy: a policy, or a name for `make_policy`.
        positions: number of distinct positions to draw, at least 3, or the name of a benchmark,
            such as ``"standard-v1"``.
        seed: the seed of the games and the draws, 0 to 2**64 - 1; of a benchmark, that of a
            built-in policy alone.
        variant: the variant to play; None is the standard game, or the variants of the benchmark.
            More than 16 cells may take very long.
        progress: show a progress bar if stderr is a terminal and rich is installed.
        num_threads: threads for the exact search, 1 to 1024; None is as many as there are cores.
        name: the name of the policy in the report; None is its `repr`.

    Raises:
        ValueError: fewer than 3 positions, an unknown benchmark, a benchmark with a variant, a seed
            out of range, an unknown policy, or a variant whose games have no decision.
        TypeError: a number is not an integer.
        PolicyError: the policy chose an illegal action; the message names the position.
    """
    seed, num_threads = seed_of(seed), threads_of(num_threads)
    graded = make_policy(policy)
    if isinstance(graded, BuiltinPolicy):
        graded = graded.with_seed(seed)
    shown = name or (policy if isinstance(policy, str) else repr(policy))
    if isinstance(positions, str):
        if variant is not None:
            raise ValueError(
                f"the benchmark {positions!r} has its own variants; give it or a variant, not both"
            )
        judged = _judge_benchmark(graded, benchmark(positions), progress)
        return GradeReport.from_judged(shown, judged, seed=seed, benchmark=positions)
    positions = integer("positions", positions)
    if positions < 3:
        raise ValueError(f"positions must be at least 3, one for each source, not {positions}")
    judged, repeats = _judge_drawn(graded, positions, seed, variant, progress, num_threads)
    return GradeReport.from_judged(shown, judged, seed=seed, repeats=repeats)


def _judge_benchmark(policy: Policy, frozen: Benchmark, progress: bool) -> Judged:
    """Judge the choices of a policy in the positions of a benchmark."""
    judged = []
    with progress_bar(len(frozen), "positions", enabled=progress) as move_on:
        start = 0
        for _, group in groupby(frozen.positions, key=lambda position: position.variant):
            left = len(list(group))
            while left:
                part = slice(start, start + min(left, _CHUNK))
                solutions = SolutionBatch(
                    frozen.solutions.margins[part],
                    frozen.solutions.action_margins[part],
                    frozen.solutions.action_mask[part],
                )
                positions = list(frozen.positions[part])
                judged.append(_judge(policy, frozen.sources[part], positions, solutions))
                move_on(len(positions))
                start += len(positions)
                left -= len(positions)
    return Judged.joined(judged)


def _judge_drawn(
    graded: Policy,
    positions: int,
    seed: int,
    variant: Variant | None,
    progress: bool,
    num_threads: int | None,
) -> tuple[Judged, dict[str, int]]:
    """Judge the choices of a policy in positions drawn from games, and count repeats by source."""
    sources: dict[str, Policy] = {
        "random play": RandomPolicy(seed),
        "minimax 2": MinimaxPolicy(2, seed),
        "own games": graded,
    }
    judged, repeats = [], {}
    taken: set[bytes] = set()
    with progress_bar(positions, "positions", enabled=progress) as move_on:
        for number, (source, player) in enumerate(sources.items()):
            wanted = positions // 3 + (number < positions % 3)
            decisions = Decisions(player, (seed, number), variant, taken)
            left = wanted
            while left and (sample := decisions.draw(min(left, _CHUNK))):
                solutions = solve_batch(sample, num_threads)
                judged.append(_judge(graded, np.full(len(sample), source), sample, solutions))
                move_on(len(sample))
                left -= len(sample)
            repeats[source] = decisions.repeats
            move_on(left)
    if not judged:
        raise ValueError("games of this variant have no turn with two legal actions to grade")
    return Judged.joined(judged), repeats


def _judge(
    policy: Policy,
    sources: NDArray[np.str_],
    positions: list[Position],
    solutions: SolutionBatch,
) -> Judged:
    chosen = np.array(choose_actions(policy, positions), dtype=np.int64)
    rows = np.arange(len(positions))
    margins = solutions.margins.astype(np.int64)
    reached = solutions.action_margins[rows, chosen].astype(np.int64)
    legal = solutions.action_mask.astype(bool)
    worst: NDArray[np.int64] = np.where(legal, solutions.action_margins, np.iinfo(np.int16).max)
    return Judged(
        source=sources,
        ply=np.array([position.ply for position in positions]),
        seat=np.array([position.to_play for position in positions]),
        regret=margins - reached,
        outcome_regret=np.sign(margins) - np.sign(reached),
        decisive=np.sign(worst.min(axis=1)) < np.sign(margins),
    )
