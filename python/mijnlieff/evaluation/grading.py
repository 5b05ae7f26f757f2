"""Grades: how often a policy plays an optimal action, and how much its errors cost."""

from __future__ import annotations

from collections.abc import Sequence
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
    random_openings,
    seed_of,
    threads_of,
)
from mijnlieff._util.progress import progress_bar
from mijnlieff.evaluation.benchmark import benchmark
from mijnlieff.evaluation.grade_report import GradeReport, Judged
from mijnlieff.policies.base import Policy, PolicyLike, choose_actions, make_policy
from mijnlieff.solving import SolutionBatch, solve_batch

__all__ = ["GradePart", "GradePlan", "grade", "sample_decisions"]

_OPENING_PLIES = 4
"""Games start after 0 to 3 random plies, so deterministic policies play different games."""
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
) -> GradeReport:
    """Grade a policy against exact play.

    The positions are those of a benchmark, the same for everyone (see `benchmark`), or drawn. One
    third of drawn positions comes from random play, one third from minimax of depth 2 against
    itself, and one third from games of the policy against itself. Each position is from a different
    game, drawn from its decisions (turns with two or more legal actions), so positions are
    independent. Games start after 0 to 3 random plies.

    Args:
        policy: a policy, or a name for `make_policy`.
        positions: number of positions to draw, at least 3, or the name of a benchmark, such as
            ``"standard-v1"``.
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
    num_threads = threads_of(num_threads)
    plan = GradePlan.checked(policy, positions, seed, variant, name)
    parts = plan.parts()
    judged = []
    with progress_bar(sum(part.count for part in parts), "positions", enabled=progress) as move_on:
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
    """

    source: int
    start: int
    count: int


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
        graded = make_policy(policy)
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
        shown = name or (policy if isinstance(policy, str) else repr(policy))
        return cls(graded, positions, seed, variant, shown)

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

    def judge(self, part: GradePart, num_threads: int | None) -> Judged:
        """Judge the choices of the policy in the positions of a part.

        Raises:
            ValueError: no game of the variant has a decision.
            PolicyError: the policy chose an illegal action.
        """
        positions: list[Position]
        if isinstance(self.positions, str):
            frozen = benchmark(self.positions)
            rows = slice(part.start, part.start + part.count)
            positions, sources = list(frozen.positions[rows]), frozen.sources[rows]
            solutions = SolutionBatch(
                frozen.solutions.margins[rows],
                frozen.solutions.action_margins[rows],
                frozen.solutions.action_mask[rows],
            )
            policy = self.policy
            if isinstance(policy, BuiltinPolicy):
                policy = policy.with_seed(self.seed)
                policy.__setstate__(part.start)  # one decision for each position before
            return _judge(policy, sources, positions, solutions)
        chunk = part.start // _CHUNK
        seed = (self.seed + chunk) % SEEDS
        policy = self.policy
        if isinstance(policy, BuiltinPolicy):
            policy = policy.with_seed(seed)
        player = (RandomPolicy(seed), MinimaxPolicy(2, seed), policy)[part.source]
        positions = sample_decisions(
            player, part.count, (self.seed, part.source, chunk), self.variant
        )
        solutions = solve_batch(positions, num_threads)
        return _judge(policy, np.full(part.count, _SOURCES[part.source]), positions, solutions)

    def report(self, judged: Sequence[Judged]) -> GradeReport:
        """Return the report on all parts, given in order."""
        frozen = self.positions if isinstance(self.positions, str) else None
        return GradeReport.from_judged(
            self.name, Judged.joined(judged), seed=self.seed, benchmark=frozen
        )


def _cut(source: int, start: int, end: int) -> list[GradePart]:
    return [
        GradePart(source, first, min(_CHUNK, end - first)) for first in range(start, end, _CHUNK)
    ]


def sample_decisions(
    player: Policy, count: int, seed: Sequence[int], variant: Variant | None = None
) -> list[Position]:
    """Return positions with two or more legal actions, each from a different game of a policy.

    Args:
        player: the policy, which plays both sides after 0 to 3 random plies.
        count: number of positions.
        seed: numbers that seed the openings and the draw of one position from each game.
        variant: the variant to play; None is the standard game.

    Raises:
        ValueError: no game had a decision.
        PolicyError: the policy chose an illegal action.
    """
    rng = np.random.default_rng(list(seed))
    found: list[Position] = []
    while len(found) < count:
        wanted = count - len(found)
        games = []
        for plies in range(_OPENING_PLIES):
            share = (wanted + _OPENING_PLIES - 1 - plies) // _OPENING_PLIES
            start = int(rng.integers(SEEDS, dtype=np.uint64))
            games.append(random_openings(share, plies, variant, start))
        drawn = _draw([game for part in games for game in part], player, rng)
        if not drawn:
            raise ValueError("games of this variant have no turn with two legal actions to grade")
        found += drawn
    return found


def _draw(games: list[Position], player: Policy, rng: np.random.Generator) -> list[Position]:
    """Play games to their end, and draw one decision from each game that has any."""
    drawn: list[Position | None] = [None] * len(games)
    met = np.zeros(len(games), dtype=np.int64)
    running = list(range(len(games)))
    while running:
        for i in running:
            if len(games[i].legal_actions()) > 1:
                met[i] += 1
                # Keeping the n-th with probability 1/n draws uniformly (reservoir sampling).
                if rng.integers(met[i]) == 0:
                    drawn[i] = games[i]
        actions = choose_actions(player, [games[i] for i in running])
        for i, action in zip(running, actions, strict=True):
            games[i] = games[i].play(action)
        running = [i for i in running if not games[i].is_over]
    return [position for position in drawn if position is not None]


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
