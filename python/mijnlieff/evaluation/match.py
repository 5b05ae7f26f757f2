"""Matches between policies: random openings, each played from both seats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import (
    SEEDS,
    BuiltinPolicy,
    Position,
    Variant,
    integer,
    play_match,
    random_openings,
    seed_of,
    threads_of,
)
from mijnlieff._util.progress import progress_bar
from mijnlieff.evaluation.match_report import MatchReport
from mijnlieff.policies.base import Policy, PolicyLike, choose_actions, make_policy

__all__ = [
    "Conditions",
    "evaluate",
    "match_report",
    "pairs_at_once",
    "play",
    "play_in_lock_step",
    "play_pairs",
]

# Pairs played at once: few if a progress bar has to move, otherwise many.
_NATIVE_PAIRS = 8192
_NATIVE_PAIRS_WITH_BAR = 64
_LOCK_STEP_PAIRS = 4096


def evaluate(
    policy: PolicyLike,
    opponent: PolicyLike,
    games: int = 1000,
    variant: Variant | None = None,
    opening_plies: int = 2,
    seed: int = 0,
    progress: bool = False,
    num_threads: int | None = None,
    names: tuple[str, str] | None = None,
) -> MatchReport:
    """Play a match and return the report.

    Every opening is random and is played twice, with the seats exchanged. Two built-in policies
    play natively, in threads. Otherwise all games advance in lock step, and each policy chooses its
    actions for all of them in one batch. The openings are the same either way.

    Built-in policies draw from `seed` and their own seed, and their count of decisions does not
    change. So the same call gives the same report, if other policies are deterministic.

    Args:
        policy: a policy, or a name for `make_policy`.
        opponent: a policy, or a name for `make_policy`.
        games: number of games, positive and even.
        variant: the variant to play; None is the standard game.
        opening_plies: random plies before the policies take over; redrawn when they end the game.
        seed: the seed of the openings and of built-in policies, 0 to 2**64 - 1.
        progress: show a progress bar if stderr is a terminal and rich is installed.
        num_threads: threads for built-in policies, 1 to 1024; None is as many as there are cores.
        names: the names of both policies in the report; None is their `repr`.

    Raises:
        ValueError: an odd, zero or negative number of games, an unknown policy, or openings so long
            that every game ends before.
        TypeError: a number is not an integer, or `names` are not two strings.
        PolicyError: a policy chose an illegal action; the message names the position.
    """
    conditions = Conditions.checked(games, variant, opening_plies, seed, num_threads)
    with progress_bar(conditions.games, "games", enabled=progress) as move_on:
        return play(policy, opponent, conditions, move_on if progress else None, names)


@dataclass(frozen=True)
class Conditions:
    """The checked settings of a match; see `evaluate`."""

    games: int
    variant: Variant | None
    opening_plies: int
    seed: int
    num_threads: int | None

    @classmethod
    def checked(
        cls,
        games: int,
        variant: Variant | None,
        opening_plies: int,
        seed: int,
        num_threads: int | None,
    ) -> Conditions:
        """Check the settings and return them.

        Raises:
            ValueError: an odd, zero or negative number of games, or another number out of range.
            TypeError: a number is not an integer.
        """
        games, opening_plies = integer("games", games), integer("opening_plies", opening_plies)
        seed, num_threads = seed_of(seed), threads_of(num_threads)
        if games < 2 or games % 2:
            raise ValueError(f"games must be positive and even, two for each opening, not {games}")
        if opening_plies < 0:
            raise ValueError(f"opening_plies must be 0 or more, not {opening_plies}")
        return cls(games, variant, opening_plies, seed, num_threads)


def play(
    policy: PolicyLike,
    opponent: PolicyLike,
    conditions: Conditions,
    move_on: Callable[[int], object] | None = None,
    names: tuple[str, str] | None = None,
) -> MatchReport:
    """Play a match; see `evaluate`.

    Args:
        policy: a policy, or a name for `make_policy`.
        opponent: a policy, or a name for `make_policy`.
        conditions: the settings of the match.
        move_on: called from time to time with the number of games that ended since the last call.
        names: the names of both policies in the report; None is their `repr`.
    """
    finished = move_on or _ignore
    named = match_names(policy, opponent, names)
    first, second = make_policy(policy), make_policy(opponent)
    is_native = isinstance(first, BuiltinPolicy) and isinstance(second, BuiltinPolicy)
    length = _NATIVE_PAIRS_WITH_BAR if is_native and move_on else pairs_at_once(first, second)
    pairs = conditions.games // 2
    margins = [
        play_pairs(first, second, conditions, number, min(length, pairs - number), finished)
        for number in range(0, pairs, length)
    ]
    return match_report(named, margins, conditions)


def pairs_at_once(policy: Policy, opponent: Policy) -> int:
    """The number of pairs of games that `play_pairs` plays in one call; the last may be less."""
    is_native = isinstance(policy, BuiltinPolicy) and isinstance(opponent, BuiltinPolicy)
    return _NATIVE_PAIRS if is_native else _LOCK_STEP_PAIRS


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
    seed = conditions.seed
    openings = random_openings(count, conditions.opening_plies, conditions.variant, seed, number)
    if isinstance(policy, BuiltinPolicy) and isinstance(opponent, BuiltinPolicy):
        margins = play_match(openings, policy, opponent, seed, number, conditions.num_threads)
        finished(2 * count)
        return margins
    seed = (seed + number) % SEEDS
    return play_in_lock_step(openings, _reseeded(policy, seed), _reseeded(opponent, seed), finished)


def match_names(
    policy: PolicyLike, opponent: PolicyLike, names: tuple[str, str] | None
) -> tuple[str, str]:
    """Return the names of both policies in a report.

    Args:
        policy: a policy, or its name.
        opponent: the same.
        names: the names; None is the name that was given, or the `repr`.

    Raises:
        TypeError: `names` are not two strings.
    """
    if names is None:
        return _name(policy), _name(opponent)
    if not (
        isinstance(names, tuple | list)
        and len(names) == 2
        and all(isinstance(name, str) for name in names)
    ):
        raise TypeError(f"names must be two strings, such as ('mine', 'theirs'), not {names!r}")
    return names[0], names[1]


def match_report(
    names: tuple[str, str], margins: Sequence[NDArray[np.int64]], conditions: Conditions
) -> MatchReport:
    """Return the report of a match.

    Args:
        names: the names of both policies.
        margins: the results of `play_pairs`, in order.
        conditions: the settings of the match.
    """
    return MatchReport.from_margins(
        *names,
        np.concatenate(margins),
        opening_plies=conditions.opening_plies,
        seed=conditions.seed,
    )


def play_in_lock_step(
    openings: list[Position],
    policy: Policy,
    opponent: Policy,
    finished: Callable[[int], object],
) -> NDArray[np.int64]:
    """Play every opening twice, with the seats exchanged, all games in lock step.

    Returns:
        The margins of `policy`, int64 ``(len(openings), 2)``: as Light, as Dark.

    Raises:
        PolicyError: a policy chose an illegal action.
    """
    # Game 2 i has `policy` as Light in opening i, game 2 i + 1 as Dark.
    games = [position for position in openings for _seat in range(2)]
    players = policy, opponent
    running = list(range(len(games)))
    while running:
        for player in range(2):
            # Light is player 0 in even games and player 1 in odd ones.
            turns = [
                i for i in running if not games[i].is_over and (i + games[i].to_play) % 2 == player
            ]
            if turns:
                actions = choose_actions(players[player], [games[i] for i in turns])
                for i, action in zip(turns, actions, strict=True):
                    games[i] = games[i].play(action)
        still_running = [i for i in running if not games[i].is_over]
        finished(len(running) - len(still_running))
        running = still_running
    margins = np.array([position.margin for position in games], dtype=np.int64).reshape(-1, 2)
    margins[:, 1] *= -1
    return margins


def _ignore(games: int) -> None:
    """Do nothing, in place of a progress bar."""


def _reseeded(policy: Policy, seed: int) -> Policy:
    """Return the policy, or a copy of a built-in one that depends on the seed of the match."""
    if isinstance(policy, BuiltinPolicy):
        return policy.with_seed((policy.seed + seed) % SEEDS)
    return policy


def _name(policy: PolicyLike) -> str:
    return policy if isinstance(policy, str) else repr(policy)
