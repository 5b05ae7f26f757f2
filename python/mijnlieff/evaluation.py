"""Matches between policies, from both seats of random openings."""

from __future__ import annotations

import operator
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import (
    BuiltinPolicy,
    Position,
    Variant,
    play_match,
    random_openings,
)
from mijnlieff.policies import Policy, choose_actions, make_policy
from mijnlieff.progress import progress_bar
from mijnlieff.reports import MatchReport

__all__ = ["MatchReport", "evaluate"]

# Pairs played at once: few where a bar shall move, else as many as memory has room for easily.
_NATIVE_PAIRS = 8192
_NATIVE_PAIRS_WITH_BAR = 64
_LOCK_STEP_PAIRS = 4096
_SEEDS = 2**64


def evaluate(
    policy: str | Policy,
    opponent: str | Policy,
    games: int = 1000,
    variant: Variant | None = None,
    opening_plies: int = 2,
    seed: int = 0,
    progress: bool = False,
    num_threads: int | None = None,
    names: tuple[str, str] | None = None,
) -> MatchReport:
    """Play a match and report it.

    Every opening is random and played twice, with the seats exchanged. Built-in policies against
    each other play natively, in threads; otherwise all games advance together, and each policy is
    asked for its actions in all of them at once. The openings are the same either way.

    A built-in policy draws from streams of `seed` and its own seed here, and the decisions that it
    counts do not change: the same call gives the same report, as far as any other policy is
    deterministic.

    Args:
        policy: a policy, or a name that `make_policy` knows.
        opponent: likewise.
        games: a positive even number.
        variant: the standard game unless given.
        opening_plies: random plies before the policies take over; redrawn when they end the game.
        seed: of the openings and of the built-in policies, 0 to 2**64 - 1.
        progress: show a progress bar if stderr is a terminal and tqdm is installed.
        num_threads: for built-in policies; as many as there are cores unless given.
        names: of the two in the report; their `repr` unless given.

    Raises:
        ValueError: an odd, zero or negative number of games, an unknown policy, or openings so
            long that no game outlasts them.
        PolicyError: a policy chose an illegal action; the message names the position.
    """
    games, opening_plies, seed = (operator.index(number) for number in (games, opening_plies, seed))
    if games < 2 or games % 2:
        raise ValueError(
            f"games must be a positive even number, for both seats of each opening, not {games}"
        )
    if not 0 <= seed < _SEEDS:
        raise ValueError(f"seed must be 0 to 2**64 - 1, not {seed}")
    if opening_plies < 0:
        raise ValueError(f"opening_plies must be 0 or more, not {opening_plies}")
    first, second = make_policy(policy), make_policy(opponent)
    pairs = games // 2
    if isinstance(first, BuiltinPolicy) and isinstance(second, BuiltinPolicy):
        native = (first, second)
        slice_length = _NATIVE_PAIRS_WITH_BAR if progress else _NATIVE_PAIRS

        def play(openings: list[Position], number: int) -> NDArray[np.int64]:
            margins = play_match(openings, *native, seed, number, num_threads)
            move_on(2 * len(openings))
            return margins
    else:
        players = _reseeded(first, seed), _reseeded(second, seed)
        slice_length = _LOCK_STEP_PAIRS

        def play(openings: list[Position], number: int) -> NDArray[np.int64]:
            return play_in_lock_step(openings, *players, move_on)

    margins = []
    with progress_bar(games, "games", enabled=progress) as move_on:
        for number in range(0, pairs, slice_length):
            count = min(slice_length, pairs - number)
            openings = random_openings(count, opening_plies, variant, seed, number)
            margins.append(play(openings, number))
    return MatchReport.from_margins(
        *(names or (_name(policy), _name(opponent))),
        np.concatenate(margins),
        opening_plies=opening_plies,
        seed=seed,
    )


def play_in_lock_step(
    openings: list[Position],
    policy: Policy,
    opponent: Policy,
    finished: Callable[[int], object] = lambda games: None,
) -> NDArray[np.int64]:
    """Play every opening twice, with the seats exchanged, all games at the same time.

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


def _reseeded(policy: Policy, seed: int) -> Policy:
    """Return a copy of a built-in policy whose decisions depend on the seed of the match."""
    if isinstance(policy, BuiltinPolicy):
        return policy.with_seed((policy.seed + seed) % _SEEDS)
    return policy


def _name(policy: str | Policy) -> str:
    return policy if isinstance(policy, str) else repr(policy)
