"""Advantages for two players who act in turn.

The value of a position is an estimate for the side to move. After an action the other side moves,
so the next value enters with a minus sign. The sign comes from the side to move rather than the
parity of the ply, so it is right even if one player acts twice.
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
    """Generalized advantage estimates with signs for two players.

    From Schulman et al. 2016 (arXiv:1506.02438), with signs added: `sign` is +1 where the same
    player acts again, -1 where the other does, and 0 after the end::

        delta[t] = rewards[t] + gamma * sign[t] * values[t + 1] - values[t]
        advantage[t] = delta[t] + gamma * gae_lambda * sign[t] * advantage[t + 1]

    Args:
        rewards: float32 `(T, N, C)`, for the player who acted; C is the number of rewards.
        values: float32 `(T + 1, N, C)`, for the side to move, the position after the last action
            included.
        to_play: int8 `(T + 1, N)`, the side to move, 0 or 1.
        terminated: bool `(T, N)`, whether the action ended its game; the next row then belongs to
            another game.
        chosen: bool `(T, N)`, whether the learner chose the action. Where it did not, the value of
            the position does not predict what follows, so the estimates of earlier rows skip it.
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
