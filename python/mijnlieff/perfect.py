"""A perfect player, and one that errs as often as you like."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from typing import SupportsIndex

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import Position
from mijnlieff.solving import solver_for

__all__ = ["PerfectPolicy"]


class PerfectPolicy:
    """Plays an action that keeps the exact margin, each such action equally likely.

    With probability `epsilon` it plays any legal action instead, each equally likely (that may be a
    best one), so one number sets how strong it is. Decision ``n`` draws from stream ``n`` of the
    seed: the same calls give the same actions, however they are cut into batches.

    Boards of more than 16 cells may take longer than anybody waits.

    Args:
        seed: 0 to 2**64 - 1.
        epsilon: 0 to 1.

    Raises:
        ValueError: a seed or an epsilon out of range.
    """

    def __init__(self, seed: SupportsIndex = 0, epsilon: float = 0.0) -> None:
        """Check and keep the settings."""
        self.seed = operator.index(seed)
        self.epsilon = float(epsilon)
        if not 0 <= self.seed < 2**64:
            raise ValueError(f"seed must be 0 to 2**64 - 1, not {seed}")
        if not 0 <= self.epsilon <= 1:
            raise ValueError(f"epsilon must be 0 to 1, not {epsilon!r}")
        self._decisions = 0

    def act(self, position: Position) -> int:
        """Return the action to play.

        Raises:
            GameOverError: the game is over.
        """
        return int(self.act_batch([position])[0])

    def act_batch(self, positions: Sequence[Position]) -> NDArray[np.int64]:
        """Return the actions to play, int64 ``(B,)``; all positions are of one variant.

        Runs without the GIL and stops on Ctrl-C.

        Raises:
            GameOverError: a game is over; the message says which. No decision is counted.
            ValueError: positions of several variants.
        """
        if not positions:
            return np.empty(0, dtype=np.int64)
        solver = solver_for(positions[0].variant)
        actions = solver.choose(positions, self.seed, self._decisions, self.epsilon)
        self._decisions += len(positions)
        return actions

    def __repr__(self) -> str:
        """Return the settings."""
        return f"PerfectPolicy(seed={self.seed}, epsilon={self.epsilon})"
