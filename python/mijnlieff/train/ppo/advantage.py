"""Advantages for two players who act in turn on one stream of observations.

The value of a position is an estimate for the side to move. After an action the other side moves,
so the next value counts against the player who acted: it enters with a minus sign. The sign is
taken from who is to move, not from the parity of the ply, so it also holds where one player acts
twice.
"""

from __future__ import annotations

import torch
from torch import Tensor

__all__ = ["signed_advantages"]


def signed_advantages(
    rewards: Tensor,
    values: Tensor,
    to_play: Tensor,
    terminated: Tensor,
    chosen: Tensor,
    gamma: float,
    gae_lambda: float,
) -> Tensor:
    """Generalised advantage estimates with signs for two players.

    After Schulman et al. 2016 (arXiv:1506.02438); the signs are ours. With `sign` +1 where the same
    player acts again, -1 where the other does, and 0 after the end::

        delta[t] = rewards[t] + gamma * sign[t] * values[t + 1] - values[t]
        advantage[t] = delta[t] + gamma * gae_lambda * sign[t] * advantage[t + 1]

    Args:
        rewards: float32 `(T, N, C)`, for the player who acted; C kinds of reward, treated alike.
        values: float32 `(T + 1, N, C)`, for the side to move, the position after the last action
            included.
        to_play: int8 `(T + 1, N)`, the side to move, 0 or 1.
        terminated: bool `(T, N)`, whether the action ended its game; the next row then belongs to
            another game.
        chosen: bool `(T, N)`, whether the learner chose the action. Where it did not, the value of
            the position before says nothing about what happens next; the rows before skip over it.
        gamma: discount of later rewards, 0 to 1.
        gae_lambda: lambda of the estimate, 0 to 1.

    Returns:
        float32 `(T, N, C)`, for the player who acted. Adding `values[:-1]` gives the value targets.
    """
    same = to_play[1:] == to_play[:-1]
    sign = torch.where(same, 1.0, -1.0).masked_fill(terminated, 0.0).unsqueeze(-1) * gamma
    advantages = rewards + sign * values[1:] - values[:-1]
    # With a lambda of 1 the next value cancels out of the sum.
    lambdas = torch.where(chosen, gae_lambda, 1.0).unsqueeze(-1)
    for t in range(len(advantages) - 2, -1, -1):
        advantages[t] += lambdas[t + 1] * sign[t] * advantages[t + 1]
    return advantages
