"""Grades: how often a policy plays an optimal action, and how much its errors cost."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import SEEDS, BuiltinPolicy, Position, Tablebase, Variant, as_variant
from mijnlieff._util.arguments import check_choice, integer, seed_of, threads_of
from mijnlieff._util.executors import check_executor, check_picklable, map_jobs, shared
from mijnlieff._util.output import progress_bar
from mijnlieff.evaluation.benchmark import STANDARD, Benchmark, benchmark
from mijnlieff.evaluation.canonical import canonical_keys
from mijnlieff.evaluation.decisions import PLAYERS, Decisions
from mijnlieff.evaluation.grade_report import WEIGHTS, GradeReport
from mijnlieff.evaluation.losses import ActionLosses
from mijnlieff.policies.base import Policy
from mijnlieff.policies.load import PolicyLike, load_policy, policy_name
from mijnlieff.rules import VariantLike
from mijnlieff.solving import solve_batch

__all__ = ["GradePart", "GradePlan", "NoChoiceError", "grade"]

_CHUNK = 1024
#: Positions that are solved between two steps of the progress bar; few where some take minutes.
_SOLVED, _SOLVED_SLOWLY = 256, 4
_POSITIONS = 10_000
_SOURCES = (*PLAYERS, "own games")

_PartLosses: TypeAlias = tuple[ActionLosses, Sequence[bytes], Mapping[str, int]]
"""The losses of a part, a key for each position that symmetric ones share, and how many openings
and positions of each source were left out because the part had equal ones before."""


class NoChoiceError(ValueError):
    """Games of the variant have no turn with two legal actions, so there is nothing to grade."""


def grade(
    policy: PolicyLike,
    positions: int | str | Benchmark | None = None,
    seed: int = 0,
    variant: VariantLike | None = None,
    progress: bool = False,
    num_threads: int | None = None,
    name: str | None = None,
    *,
    by: Literal["position", "board"] = "position",
    executor: Executor | None = None,
    tablebase: Tablebase | None = None,
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

    For a policy of many boards, `Benchmark.draw` makes positions of all of them. With
    ``by="board"`` every board has the same weight, and the intervals hold for boards like these:
    they treat the mean of each board as one draw, so they are wider than those for more positions
    of the same boards.

    >>> import mijnlieff
    >>> report = mijnlieff.grade("greedy")
    >>> report.benchmark, report.total.positions, f"{report.total.optimal:.1%}"
    ('standard-v1', 5040, '47.4%')

    Args:
        policy: a policy, or a name for `load_policy`.
        positions: the name of a benchmark, a `Benchmark`, or a number of positions to draw, at
            least 3. None is ``"standard-v1"`` for the standard game, on which players are compared,
            and 10,000 for other variants.
        seed: the seed of the games and the draws, 0 to 2**64 - 1; of a benchmark, that of a
            built-in policy alone.
        variant: the variant to play; None is the standard game, or the variants of the benchmark.
            Boards of more than 16 cells may take very long.
        progress: show a progress bar, or a line every ten seconds where stderr is not a terminal.
        num_threads: threads for the exact search, 1 to 1024; None is as many as there are cores, or
            1 in each worker of an executor.
        name: the name of the policy in the report; None is the name as it was given, or the `repr`
            of an object.
        by: what has the same weight: every ``"position"``, or every ``"board"``.
        executor: workers that draw, solve and grade up to 1,024 positions at a time. The report
            does not depend on it, as long as the choices of the policy do not depend on earlier
            ones. In other processes, the policy must be picklable.
        tablebase: where to look the margins of drawn positions up, rather than search.

    Raises:
        ValueError: fewer than 3 positions, an unknown benchmark, a benchmark with a variant or a
            tablebase, a seed out of range, an unknown policy or weight, or a variant whose games
            have no decision.
        TypeError: a number is not an integer, `executor` is not an executor, or the policy cannot
            be pickled for its processes.
        PolicyError: the policy chose an illegal action; the message names the position.
        ClusterError: the executor was shut down, or its workers died.
    """
    num_threads = threads_of(num_threads)
    check_choice("by", by, WEIGHTS)
    check_executor(executor)
    plan = GradePlan.checked(policy, positions, seed, variant, name, tablebase)
    parts = plan.parts()
    with progress_bar(sum(part.count for part in parts), "positions", enabled=progress) as move_on:
        if executor is not None:
            check_picklable(executor, plan.policy)
            sent = shared(executor, plan)
            jobs = [(sent, part, num_threads or 1) for part in parts]
            found = map_jobs(
                executor, GradePlan.losses, jobs, lambda index: move_on(parts[index].count)
            )
        else:
            found = [plan.losses(part, num_threads, move_on) for part in parts]
    return plan.report(found, by)


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
class GradePlan:
    """The checked arguments of `grade`, cut into parts that can be graded in any order.

    Built-in policies start every part with their own seed, so that no part depends on another.

    Attributes:
        policy: the policy.
        count: how many positions to draw; 0 for those of a benchmark.
        given: the benchmark, by name if it has one, which is shorter to send to workers; or None.
        seed: the seed.
        variant: the variant of drawn positions.
        name: the name of the policy in the report.
        tablebase: where to look the margins of drawn positions up, or None.
    """

    policy: Policy
    count: int
    given: str | Benchmark | None
    seed: int
    variant: Variant
    name: str
    tablebase: Tablebase | None

    @classmethod
    def checked(
        cls,
        policy: PolicyLike,
        positions: int | str | Benchmark | None,
        seed: int,
        variant: VariantLike | None,
        name: str | None,
        tablebase: Tablebase | None,
    ) -> GradePlan:
        """Check the arguments of `grade`; see there for them and the errors."""
        seed = seed_of(seed)
        graded = load_policy(policy)
        named = name or policy_name(policy, graded)
        if positions is None:
            is_standard = as_variant(variant) == Variant()
            positions, variant = (STANDARD, None) if is_standard else (_POSITIONS, variant)
        if not isinstance(positions, str | Benchmark):
            count = integer("positions", positions)
            if count < 3:
                raise ValueError(f"positions must be at least 3, one for each source, not {count}")
            return cls(graded, count, None, seed, as_variant(variant), named, tablebase)
        frozen = benchmark(positions) if isinstance(positions, str) else positions
        if variant is not None:
            raise ValueError(
                f"the benchmark {frozen.name!r} has its own variants; give it or a variant, "
                "not both"
            )
        if tablebase is not None:
            raise ValueError(
                f"the benchmark {frozen.name!r} has the exact margins of its positions, so a "
                "tablebase would change nothing: leave it out, or give a number of positions"
            )
        return cls(graded, 0, positions, seed, Variant(), named, tablebase)

    @property
    def frozen(self) -> Benchmark | None:
        """The benchmark, or None."""
        return benchmark(self.given) if isinstance(self.given, str) else self.given

    def parts(self) -> list[GradePart]:
        """Return the parts, in the order in which the report has them."""
        if (frozen := self.frozen) is not None:
            starts = [0, *(np.flatnonzero(np.diff(frozen.boards)) + 1).tolist(), len(frozen)]
            return [part for start, end in pairwise(starts) for part in _cut(-1, start, end)]
        share, more = divmod(self.count, len(_SOURCES))
        return [
            part
            for source in range(len(_SOURCES))
            for part in _cut(source, 0, share + (source < more))
        ]

    def losses(
        self,
        part: GradePart,
        num_threads: int | None,
        move_on: Callable[[int], object] = lambda count: None,
    ) -> _PartLosses:
        """Compare the choices of the policy in the positions of a part with exact play.

        Args:
            part: the part.
            num_threads: threads for the exact search; None is as many as there are cores.
            move_on: told of positions as they are done, `part.count` in all.

        Raises:
            PolicyError: the policy chose an illegal action.
        """
        if (frozen := self.frozen) is not None:
            on_benchmark = self._losses_on(frozen, part)
            move_on(part.count)
            return on_benchmark
        chunk = part.start // _CHUNK
        seed = (self.seed + chunk) % SEEDS
        policy = self.policy
        if isinstance(policy, BuiltinPolicy):
            policy = policy.with_seed(seed)
        source = _SOURCES[part.source]
        player = PLAYERS[source](seed) if source in PLAYERS else policy
        decisions = Decisions(
            player, (self.seed, part.source, chunk), self.variant, (chunk, part.chunks)
        )
        positions = decisions.draw(part.count)
        move_on(part.count - len(positions))
        if not positions:
            return ActionLosses.none(), [], {source: decisions.repeats}
        losses = ActionLosses.of(
            policy,
            positions,
            self._margins(positions, num_threads, move_on),
            source=np.full(len(positions), source),
            board=np.zeros(len(positions), dtype=np.int64),
        )
        return losses, canonical_keys(positions), {source: decisions.repeats}

    def _margins(
        self,
        positions: Sequence[Position],
        num_threads: int | None,
        move_on: Callable[[int], object],
    ) -> NDArray[np.int16]:
        """Return the margins of all actions, int16 ``(len(positions), num_actions)``."""
        size = _SOLVED if all(it.is_solvable for it in positions) else _SOLVED_SLOWLY
        found = []
        for start in range(0, len(positions), size):
            some = positions[start : start + size]
            solutions = solve_batch(some, num_threads, tablebase=self.tablebase)
            found.append(solutions.action_margins)
            move_on(len(some))
        return np.concatenate(found)

    def _losses_on(self, frozen: Benchmark, part: GradePart) -> _PartLosses:
        rows = slice(part.start, part.start + part.count)
        policy = self.policy
        if isinstance(policy, BuiltinPolicy):
            policy = policy.with_seed(self.seed)
            policy.__setstate__(part.start)  # one decision for each position before
        losses = ActionLosses.of(
            policy,
            list(frozen.positions[rows]),
            frozen.solutions.action_margins[rows],
            source=frozen.sources[rows],
            board=frozen.boards[rows],
        )
        # The positions are distinct, so the keys only have to differ.
        return losses, [b"%d" % row for row in range(rows.start, rows.stop)], {}

    def report(self, parts: Sequence[_PartLosses], by: str) -> GradeReport:
        """Return the report on all parts, given in order.

        Raises:
            NoChoiceError: no game of the variant has a decision.
        """
        taken: set[bytes] = set()
        kept: list[ActionLosses] = []
        repeats: Counter[str] = Counter()
        for losses, keys, repeated in parts:
            is_new = np.zeros(len(keys), dtype=np.bool_)
            for i, key in enumerate(keys):
                is_new[i] = key not in taken
                taken.add(key)
            kept.append(losses.where(is_new))
            repeats.update(repeated)
            repeats.update(losses.source[~is_new].tolist())
        found = ActionLosses.joined(kept)
        if not len(found.ply):
            raise NoChoiceError(
                "games of this variant have no turn with two legal actions to grade"
            )
        frozen = self.frozen
        return GradeReport.from_losses(
            self.name,
            found,
            seed=self.seed,
            by=by,
            benchmark=None if frozen is None else frozen.name,
            groups=() if frozen is None else frozen.groups,
            repeats=dict(repeats) if frozen is None else {},
        )


def _cut(source: int, start: int, end: int) -> list[GradePart]:
    firsts = range(start, end, _CHUNK)
    return [GradePart(source, first, min(_CHUNK, end - first), len(firsts)) for first in firsts]
