"""Grades: how often a policy plays an optimal action, and how much its errors cost."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import groupby

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import (
    SEEDS,
    BuiltinPolicy,
    MinimaxPolicy,
    Position,
    RandomPolicy,
    Variant,
    integer,
    seed_of,
    threads_of,
)
from mijnlieff._util.executors import check_executor, map_jobs, shared
from mijnlieff._util.progress import progress_bar
from mijnlieff.evaluation.benchmark import benchmark
from mijnlieff.evaluation.decisions import Decisions, canonical_keys
from mijnlieff.evaluation.grade_report import GradeReport, Judged
from mijnlieff.policies.base import Policy, act_checked
from mijnlieff.policies.load import PolicyLike, load_policy, policy_name
from mijnlieff.solving import SolutionBatch, solve_batch

__all__ = ["GradePart", "GradePlan", "JudgedPart", "grade", "losses_of"]

_CHUNK = 1024
_SOURCES = ("random play", "minimax 2", "own games")


def grade(
    policy: PolicyLike,
    positions: int | str = 10_000,
    seed: int = 0,
    variant: Variant | None = None,
    progress: bool = False,
    num_threads: int | None = None,
    name: str | None = None,
    *,
    executor: Executor | None = None,
) -> GradeReport:
    """Grade a policy against exact play.

    The positions are those of a benchmark, the same for everyone (see `benchmark`), or drawn. One
    third of drawn positions comes from random play, one third from minimax of depth 2 against
    itself, and one third from games of the policy against itself. Games start after 0 to 7 random
    plies. Each position is drawn from the decisions (turns with two or more legal actions) of
    one game, and no two games of a source start alike. So a deterministic policy is not graded on
    the same game again and again, and the intervals, which assume independent positions, are not
    too narrow. A position that equals an earlier one, up to symmetries of the board, is left out.
    So there may be a few positions fewer than asked for, and many fewer on small boards.

    Args:
        policy: a policy, or a name for `load_policy`.
        positions: number of positions to draw, at least 3, or the name of a benchmark, such as
            ``"standard-v1"``.
        seed: the seed of the games and the draws, 0 to 2**64 - 1; of a benchmark, that of a
            built-in policy alone.
        variant: the variant to play; None is the standard game, or the variants of the benchmark.
            Boards of more than 16 cells may take very long.
        progress: show a progress bar if stderr is a terminal and rich is installed.
        num_threads: threads for the exact search, 1 to 1024; None is as many as there are cores, or
            1 in each worker of an executor.
        name: the name of the policy in the report; None is its `repr`.
        executor: workers that draw, solve and judge up to 1,024 positions at a time. The report
            does not depend on it, as long as the choices of the policy do not depend on earlier
            ones. In other processes, the policy must be picklable.

    Raises:
        ValueError: fewer than 3 positions, an unknown benchmark, a benchmark with a variant, a seed
            out of range, an unknown policy, or a variant whose games have no decision.
        TypeError: a number is not an integer, or `executor` is not an executor.
        PolicyError: the policy chose an illegal action; the message names the position.
        ClusterError: the executor was shut down, or its workers died.
    """
    num_threads = threads_of(num_threads)
    check_executor(executor)
    plan = GradePlan.checked(policy, positions, seed, variant, name)
    parts = plan.parts()
    judged = []
    with progress_bar(sum(part.count for part in parts), "positions", enabled=progress) as move_on:
        if executor is not None:
            sent = shared(executor, plan)
            jobs = [(sent, part, num_threads or 1) for part in parts]
            return plan.report(
                map_jobs(executor, GradePlan.judge, jobs, lambda index: move_on(parts[index].count))
            )
        for part in parts:
            judged.append(plan.judge(part, num_threads))
            move_on(part.count)
    return plan.report(judged)


@dataclass(frozen=True)
class GradePart:
    """Some of the positions of a grade.

    Attributes:
        source: the number of the source that they are drawn from; -1 for a benchmark.
        start: how many positions of the source, or of the benchmark, come before.
        count: number of positions.
        chunks: how many parts the source or the variant has; each has its share of the openings.
    """

    source: int
    start: int
    count: int
    chunks: int


@dataclass(frozen=True)
class JudgedPart:
    """The choices of a policy in the positions of a part.

    Attributes:
        judged: the choices.
        keys: a key for each position, which positions that differ by a symmetry share.
        repeats: openings and positions left out because the part had equal ones before.
    """

    judged: Judged
    keys: Sequence[bytes]
    repeats: int


@dataclass(frozen=True)
class GradePlan:
    """The checked arguments of `grade`, cut into parts that can be judged in any order.

    Built-in policies start every part with their own seed, so that no part depends on another.
    """

    policy: Policy
    positions: int | str
    seed: int
    variant: Variant | None
    name: str

    @classmethod
    def checked(
        cls,
        policy: PolicyLike,
        positions: int | str,
        seed: int,
        variant: Variant | None,
        name: str | None,
    ) -> GradePlan:
        """Check the arguments of `grade`; see there for them and the errors."""
        seed = seed_of(seed)
        graded = load_policy(policy)
        if isinstance(positions, str):
            if variant is not None:
                raise ValueError(
                    f"the benchmark {positions!r} has its own variants; give it or a variant, "
                    "not both"
                )
            benchmark(positions)
        else:
            positions = integer("positions", positions)
            if positions < 3:
                raise ValueError(
                    f"positions must be at least 3, one for each source, not {positions}"
                )
        return cls(graded, positions, seed, variant, name or policy_name(policy))

    def parts(self) -> list[GradePart]:
        """Return the parts, in the order in which the report has them."""
        if isinstance(self.positions, str):
            parts, start = [], 0
            for _, group in groupby(benchmark(self.positions).positions, lambda it: it.variant):
                end = start + len(list(group))
                parts += _cut(-1, start, end)
                start = end
            return parts
        share, more = divmod(self.positions, len(_SOURCES))
        return [
            part
            for source in range(len(_SOURCES))
            for part in _cut(source, 0, share + (source < more))
        ]

    def judge(self, part: GradePart, num_threads: int | None) -> JudgedPart:
        """Judge the choices of the policy in the positions of a part.

        Raises:
            PolicyError: the policy chose an illegal action.
        """
        if isinstance(self.positions, str):
            return self._judge_benchmark(self.positions, part)
        chunk = part.start // _CHUNK
        seed = (self.seed + chunk) % SEEDS
        policy = self.policy
        if isinstance(policy, BuiltinPolicy):
            policy = policy.with_seed(seed)
        player = (RandomPolicy(seed), MinimaxPolicy(2, seed), policy)[part.source]
        decisions = Decisions(
            player, (self.seed, part.source, chunk), self.variant, (chunk, part.chunks)
        )
        positions = decisions.draw(part.count)
        sources = np.full(len(positions), _SOURCES[part.source])
        if positions:
            solutions = solve_batch(positions, num_threads)
            judged = _judge(policy, sources, positions, solutions)
        else:
            judged = Judged.none()
        return JudgedPart(judged, canonical_keys(positions), decisions.repeats)

    def _judge_benchmark(self, name: str, part: GradePart) -> JudgedPart:
        frozen = benchmark(name)
        rows = slice(part.start, part.start + part.count)
        solutions = SolutionBatch(
            frozen.solutions.margins[rows],
            frozen.solutions.action_margins[rows],
            frozen.solutions.action_mask[rows],
        )
        policy = self.policy
        if isinstance(policy, BuiltinPolicy):
            policy = policy.with_seed(self.seed)
            policy.__setstate__(part.start)  # one decision for each position before
        positions = list(frozen.positions[rows])
        # The positions are distinct, so the keys only have to differ.
        keys = [b"%d" % row for row in range(rows.start, rows.stop)]
        return JudgedPart(_judge(policy, frozen.sources[rows], positions, solutions), keys, 0)

    def report(self, parts: Sequence[JudgedPart]) -> GradeReport:
        """Return the report on all parts, given in order.

        Raises:
            ValueError: no game of the variant has a decision.
        """
        taken: set[bytes] = set()
        kept: list[Judged] = []
        repeats: dict[str, int] = {}
        for part in parts:
            is_new = np.zeros(len(part.keys), dtype=np.bool_)
            for i, key in enumerate(part.keys):
                is_new[i] = key not in taken
                taken.add(key)
            kept.append(part.judged.where(is_new))
            for source in part.judged.source[:1].tolist():
                left_out = part.repeats + int((~is_new).sum())
                repeats[source] = repeats.get(source, 0) + left_out
        judged = Judged.joined(kept)
        if not len(judged.ply):
            raise ValueError("games of this variant have no turn with two legal actions to grade")
        if isinstance(self.positions, str):
            return GradeReport.from_judged(
                self.name, judged, seed=self.seed, benchmark=self.positions
            )
        return GradeReport.from_judged(self.name, judged, seed=self.seed, repeats=repeats)


def _cut(source: int, start: int, end: int) -> list[GradePart]:
    firsts = range(start, end, _CHUNK)
    return [GradePart(source, first, min(_CHUNK, end - first), len(firsts)) for first in firsts]


def _judge(
    policy: Policy,
    sources: NDArray[np.str_],
    positions: list[Position],
    solutions: SolutionBatch,
) -> Judged:
    chosen = act_checked(policy, positions)
    regret, outcome_regret, decisive = losses_of(
        solutions.margins, solutions.action_margins, chosen
    )
    return Judged(
        source=sources,
        ply=np.array([position.ply for position in positions]),
        seat=np.array([position.to_play for position in positions]),
        regret=regret,
        outcome_regret=outcome_regret,
        decisive=decisive,
    )


def losses_of(
    margins: NDArray[np.int16], action_margins: NDArray[np.int16], chosen: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.bool_]]:
    """Return what actions lose against exact play, and where that can be the outcome.

    Args:
        margins: exact margins ``(B,)`` for the side to move.
        action_margins: those of all actions ``(B, num_actions)``, the smallest int16 where illegal.
        chosen: the actions ``(B,)``.

    Returns:
        ``regret``, ``outcome_regret`` and ``decisive`` of `Judged`.
    """
    exact = margins.astype(np.int64)
    reached = action_margins[np.arange(len(chosen)), chosen].astype(np.int64)
    limits = np.iinfo(np.int16)
    worst = np.where(action_margins == limits.min, limits.max, action_margins).min(axis=1)
    decisive: NDArray[np.bool_] = np.sign(worst) < np.sign(exact)
    return exact - reached, np.sign(exact) - np.sign(reached), decisive
