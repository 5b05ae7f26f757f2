"""Matches between policies: random openings, each played from both seats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import (
    SEEDS,
    BuiltinPolicy,
    Variant,
    as_variant,
    play_match,
    random_openings,
)
from mijnlieff._util.arguments import integer, integer_from, seed_of, threads_of
from mijnlieff._util.executors import check_executor, check_picklable, map_jobs, shared
from mijnlieff._util.output import progress_bar
from mijnlieff._util.seeds import first_game_seed
from mijnlieff.evaluation.lock_step import play_in_lock_step
from mijnlieff.evaluation.match_report import MatchReport
from mijnlieff.policies.base import Policy
from mijnlieff.policies.load import PolicyLike, load_policy, policy_name
from mijnlieff.rules import VariantLike

__all__ = [
    "Conditions",
    "evaluate",
    "on_worker",
    "play",
    "play_all",
    "play_pairs",
]

# Pairs played at once: few if a progress bar has to move, otherwise many.
_NATIVE_PAIRS = 8192
_NATIVE_PAIRS_WITH_BAR = 64
_NATIVE_PAIRS_OF_A_JOB = 512
_LOCK_STEP_PAIRS = 4096


def evaluate(
    policy: PolicyLike,
    opponent: PolicyLike,
    games: int = 1000,
    variant: VariantLike | None = None,
    opening_plies: int = 2,
    seed: int = 0,
    progress: bool = False,
    num_threads: int | None = None,
    names: tuple[str, str] | None = None,
    *,
    executor: Executor | None = None,
) -> MatchReport:
    """Play a match and return the report.

    Every opening is random and is played twice, with the seats exchanged. Two built-in policies
    play natively, in threads. Otherwise all games advance in lock step, and each policy chooses its
    actions for all of them in one batch. The openings are the same either way.

    Built-in policies draw from `seed` and their own seed, and their count of decisions does not
    change. So the same call gives the same report, if other policies are deterministic.

    Args:
        policy: a policy, or a name for `load_policy`.
        opponent: a policy, or a name for `load_policy`.
        games: number of games, positive and even.
        variant: the variant to play; None is the standard game.
        opening_plies: random plies before the policies take over; redrawn when they end the game.
        seed: the seed of the openings and of built-in policies, 0 to 2**64 - 1. Matches of
            different seeds are independent, so their games can be added up.
        progress: show a progress bar, or a line every ten seconds where stderr is not a terminal.
        num_threads: threads for built-in policies, 1 to 1024; None is as many as there are cores,
            or 1 in each worker of an executor.
        names: the names of both policies in the report; None are the names as they were given, or
            the `repr` of objects.
        executor: workers that play up to 1,024 games at a time of two built-in policies, otherwise
            8,192. The report does not depend on it, as long as the choices of other policies do not
            depend on earlier ones. In other processes, policies must be picklable.

    Raises:
        ValueError: an odd, zero or negative number of games, an unknown policy, or openings so long
            that every game ends before.
        TypeError: a number is not an integer, `names` are not two strings, or `executor` is not an
            executor, or a policy cannot be pickled for its processes.
        PolicyError: a policy chose an illegal action; the message names the position.
        ClusterError: the executor was shut down, or its workers died.
    """
    conditions = Conditions.checked(games, variant, opening_plies, seed, num_threads)
    check_executor(executor)
    with progress_bar(conditions.games, "games", enabled=progress) as move_on:
        finished = move_on if progress else None
        return play(policy, opponent, conditions, finished, names, executor)


@dataclass(frozen=True)
class Conditions:
    """The checked settings of a match; see `evaluate`."""

    games: int
    variant: Variant
    opening_plies: int
    seed: int
    num_threads: int | None

    @classmethod
    def checked(
        cls,
        games: int,
        variant: VariantLike | None,
        opening_plies: int = 2,
        seed: int = 0,
        num_threads: int | None = None,
    ) -> Conditions:
        """Check the settings and return them.

        Raises:
            ValueError: an odd, zero or negative number of games, or another number out of range.
            TypeError: a number is not an integer.
        """
        games, plies = integer("games", games), integer_from("opening_plies", opening_plies, 0)
        seed, num_threads = seed_of(seed), threads_of(num_threads)
        if games < 2 or games % 2:
            raise ValueError(f"games must be positive and even, two for each opening, not {games}")
        return cls(games, as_variant(variant), plies, seed, num_threads)

    @property
    def first_pair_seed(self) -> int:
        """The seed of pair 0; those of the next pairs are consecutive."""
        return first_game_seed(self.seed)


def play(
    policy: PolicyLike,
    opponent: PolicyLike,
    conditions: Conditions,
    move_on: Callable[[int], object] | None = None,
    names: tuple[str, str] | None = None,
    executor: Executor | None = None,
) -> MatchReport:
    """Play a match; see `evaluate`.

    Args:
        policy: a policy, or a name for `load_policy`.
        opponent: a policy, or a name for `load_policy`.
        conditions: the settings of the match.
        move_on: called from time to time with the number of games that ended since the last call.
        names: the names of both policies in the report; None are the names as they were given, or
            the `repr` of objects.
        executor: where the games are played; this process unless given.
    """
    first, second = load_policy(policy), load_policy(opponent)
    named = names_of((policy, opponent), (first, second), names)
    finished = move_on or _ignore
    if executor is None:
        native_pairs = _NATIVE_PAIRS_WITH_BAR if move_on else _NATIVE_PAIRS
        parts = _parts(first, second, conditions, native_pairs)
        margins = [play_pairs(first, second, conditions, *part, finished) for part in parts]
    else:
        parts = _parts(first, second, conditions, _NATIVE_PAIRS_OF_A_JOB)
        for player in (first, second):
            check_picklable(executor, player)
        players = shared(executor, first), shared(executor, second)
        jobs = [(*players, on_worker(conditions), *part, _ignore) for part in parts]
        margins = map_jobs(executor, play_pairs, jobs, lambda index: finished(2 * parts[index][1]))
    return MatchReport.from_margins(
        *named,
        np.concatenate(margins),
        opening_plies=conditions.opening_plies,
        seed=conditions.seed,
    )


def play_all(
    policy: PolicyLike,
    matches: Sequence[tuple[PolicyLike, Conditions]],
    *,
    progress: bool = False,
    executor: Executor | None = None,
) -> list[MatchReport]:
    """Play matches of a policy, one after the other or on workers at once.

    Args:
        policy: a policy, or a name for `load_policy`.
        matches: the opponent and the settings of each.
        progress: show a bar for the games of all matches together.
        executor: where the matches are played; this process unless given.

    Returns:
        The reports, in the order of the matches.
    """
    games = [match.games for _, match in matches]
    with progress_bar(sum(games), "games", enabled=progress) as move_on:
        if executor is not None:
            check_picklable(executor, policy)
            player = shared(executor, policy)
            jobs = [(player, opponent, on_worker(match)) for opponent, match in matches]
            return map_jobs(executor, play, jobs, lambda index: move_on(games[index]))
        told = move_on if progress else None
        return [play(policy, opponent, match, told) for opponent, match in matches]


def on_worker(conditions: Conditions) -> Conditions:
    """The settings of a match for a worker, which has one thread unless the caller gave more."""
    return replace(conditions, num_threads=conditions.num_threads or 1)


def _parts(
    policy: Policy, opponent: Policy, conditions: Conditions, native_pairs: int
) -> list[tuple[int, int]]:
    """The pairs of a match in the parts of `play_pairs`: the pairs before, and their number.

    Only those of built-in policies may have any length. For others the order of decisions depends
    on the parts.
    """
    is_native = isinstance(policy, BuiltinPolicy) and isinstance(opponent, BuiltinPolicy)
    length = native_pairs if is_native else _LOCK_STEP_PAIRS
    pairs = conditions.games // 2
    return [(number, min(length, pairs - number)) for number in range(0, pairs, length)]


def play_pairs(
    policy: Policy,
    opponent: Policy,
    conditions: Conditions,
    number: int,
    count: int,
    finished: Callable[[int], object],
) -> NDArray[np.int64]:
    """Play some pairs of games of a match. They depend on the arguments alone.

    Args:
        policy: a policy.
        opponent: a policy.
        conditions: the settings of the match.
        number: the pairs before these.
        count: number of pairs.
        finished: called from time to time with the number of games that ended since.

    Returns:
        The margins of `policy`, int64 ``(count, 2)``: as Light, as Dark.

    Raises:
        PolicyError: a policy chose an illegal action.
    """
    seed = conditions.first_pair_seed
    openings = random_openings(count, conditions.opening_plies, conditions.variant, seed, number)
    if isinstance(policy, BuiltinPolicy) and isinstance(opponent, BuiltinPolicy):
        margins = play_match(openings, policy, opponent, seed, number, conditions.num_threads)
        finished(2 * count)
        return margins
    seed = (seed + number) % SEEDS
    return play_in_lock_step(openings, _reseeded(policy, seed), _reseeded(opponent, seed), finished)


def names_of(
    given: tuple[PolicyLike, PolicyLike],
    loaded: tuple[Policy, Policy],
    names: tuple[str, str] | None,
) -> tuple[str, str]:
    """Return the names of both policies in a report.

    Args:
        given: the policies, or their names.
        loaded: the policies.
        names: the names; None is `policy_name`.

    Raises:
        TypeError: `names` are not two strings.
    """
    if names is None:
        return policy_name(given[0], loaded[0]), policy_name(given[1], loaded[1])
    if not (
        isinstance(names, tuple | list)
        and len(names) == 2
        and all(isinstance(name, str) for name in names)
    ):
        raise TypeError(f"names must be two strings, such as ('mine', 'theirs'), not {names!r}")
    return names[0], names[1]


def _ignore(games: int) -> None:
    """Do nothing, in place of a progress bar."""


def _reseeded(policy: Policy, seed: int) -> Policy:
    """Return the policy, or a copy of a built-in one that depends on the seed of the match."""
    if isinstance(policy, BuiltinPolicy):
        return policy.with_seed((policy.seed + seed) % SEEDS)
    return policy
