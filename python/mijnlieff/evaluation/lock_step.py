"""Games of two policies side by side, so that each chooses its actions in few large batches."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import Position
from mijnlieff.policies.base import Policy, act_checked

__all__ = ["play_in_lock_step", "play_out"]


def play_in_lock_step(
    openings: Sequence[Position],
    policy: Policy,
    opponent: Policy,
    finished: Callable[[int], object],
) -> NDArray[np.int64]:
    """Play every opening twice, with the seats exchanged, all games in lock step.

    Args:
        openings: where the games start.
        policy: a policy.
        opponent: the other policy.
        finished: called from time to time with the number of games that ended since.

    Returns:
        The margins of `policy`, int64 ``(len(openings), 2)``: as Light, as Dark.

    Raises:
        PolicyError: a policy chose an illegal action.
    """
    starts = [position for position in openings for _seat in range(2)]
    games, _ = play_out(starts, (policy, opponent), [0, 1] * len(openings), finished)
    margins = np.array([position.margin for position in games], dtype=np.int64).reshape(-1, 2)
    margins[:, 1] *= -1
    return margins


def play_out(
    starts: Sequence[Position],
    policies: tuple[Policy, Policy],
    light: Sequence[int],
    finished: Callable[[int], object] | None = None,
) -> tuple[list[Position], list[list[int]]]:
    """Play games to their end in lock step.

    Args:
        starts: where the games start.
        policies: the players.
        light: for each game, the number of the policy that plays Light, 0 or 1.
        finished: called from time to time with the number of games that ended since.

    Returns:
        The last position of each game, and its actions.

    Raises:
        PolicyError: a policy chose an illegal action.
    """
    games = list(starts)
    played: list[list[int]] = [[] for _ in games]
    running = list(range(len(games)))
    while running:
        for number, policy in enumerate(policies):
            turns = [
                i for i in running if not games[i].is_over and light[i] ^ games[i].to_play == number
            ]
            if turns:
                actions = act_checked(policy, [games[i] for i in turns])
                for i, action in zip(turns, actions.tolist(), strict=True):
                    games[i] = games[i].play(action)
                    played[i].append(action)
        still_running = [i for i in running if not games[i].is_over]
        if finished is not None:
            finished(len(running) - len(still_running))
        running = still_running
    return games, played
