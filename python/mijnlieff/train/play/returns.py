"""Lambda-returns: values to learn that mix the end of the game with the network's own values."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import MARGIN_UNIT, Network
from mijnlieff.self_play import SelfPlaySamples
from mijnlieff.train.network import share_hands

__all__ = ["lambda_returns"]


def lambda_returns(
    played: SelfPlaySamples, network: Network, return_lambda: float, num_threads: int = 1
) -> NDArray[np.float32]:
    """Return the outcomes and margins to learn (Sutton and Barto 2018, Section 12.1).

    ``sign[t]`` is +1 if the same player makes the next decision of the game, and -1 otherwise::

        returns[t] = sign[t] * ((1 - lambda) * values[t + 1] + lambda * returns[t + 1])

    After the last decision of a game only its end counts. In solved positions the result is known,
    so it is both the value and the return.

    Args:
        played: decisions of whole games; their observations have hands as counts.
        network: gives the values.
        return_lambda: lambda, 0 to 1; with 1 these are the results that the samples have.
        num_threads: the threads that evaluate.

    Returns:
        float32 ``(B, 2)``: outcome and margin in points, for the side to move.
    """
    returns = np.stack([played.outcomes, played.margins], axis=1).astype(np.float32)
    if return_lambda == 1 or not len(played):
        return returns
    values = _values(played, network, num_threads)
    values[played.exact] = returns[played.exact]
    same = (played.to_play[1:] == played.to_play[:-1]).astype(np.float32)
    sign = (2 * same - 1)[:, None]
    starts = np.flatnonzero(np.diff(played.games, prepend=played.games[0] - 1))
    ends = np.append(starts[1:], len(played)) - 1
    for back in range(1, int((ends - starts).max()) + 1):
        rows = (ends - back)[ends - back >= starts]
        rows = rows[~played.exact[rows]]
        after = (1 - return_lambda) * values[rows + 1] + return_lambda * returns[rows + 1]
        returns[rows] = sign[rows] * after
    return returns


def _values(played: SelfPlaySamples, network: Network, num_threads: int) -> NDArray[np.float32]:
    observations = played.observations.astype(np.float32)
    share_hands(observations, network.copies)
    values = network.evaluate(observations, num_threads=num_threads)[1]
    return values * np.array([1, MARGIN_UNIT], np.float32)
