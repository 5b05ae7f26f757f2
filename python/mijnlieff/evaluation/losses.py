"""What the choices of a policy lose, compared with perfect play."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import Position
from mijnlieff.policies.base import Policy, act_checked

__all__ = ["ILLEGAL", "ActionLosses", "decisive_of"]

ILLEGAL = np.iinfo(np.int16).min
"""The margin of an illegal action in `SolutionBatch.action_margins`."""


@dataclass(frozen=True, eq=False)  # arrays cannot be compared as a whole
class ActionLosses:
    """What the choices of a policy lose, compared with perfect play; all arrays are ``(B,)``.

    Attributes:
        source: where the position comes from, such as "own games".
        board: the number of the position's variant, from 0.
        ply: number of actions before the position.
        seat: 0 Light, 1 Dark.
        regret: points lost by the choice.
        outcome_regret: 1 if the choice turns a win into a draw or a draw into a loss, 2 if it turns
            a win into a loss, otherwise 0.
        decisive: whether the legal actions differ in outcome.
    """

    source: NDArray[np.str_]
    board: NDArray[np.int64]
    ply: NDArray[np.int64]
    seat: NDArray[np.int64]
    regret: NDArray[np.int64]
    outcome_regret: NDArray[np.int64]
    decisive: NDArray[np.bool_]

    @classmethod
    def of(
        cls,
        policy: Policy,
        positions: Sequence[Position],
        action_margins: NDArray[np.int16],
        *,
        source: NDArray[np.str_],
        board: NDArray[np.int64],
    ) -> ActionLosses:
        """Ask a policy for its actions, and compare them with exact play.

        Args:
            policy: the policy.
            positions: the positions, each with legal actions.
            action_margins: the exact margins of all actions, int16 ``(B, most actions)``, for the
                side to move; `ILLEGAL` where there is no legal action.
            source: see the class.
            board: see the class.

        Raises:
            PolicyError: the policy chose an illegal action.
        """
        chosen = act_checked(policy, positions)
        exact = action_margins.max(axis=1).astype(np.int64)
        reached = action_margins[np.arange(len(chosen)), chosen].astype(np.int64)
        return cls(
            source=source,
            board=board,
            ply=np.array([position.ply for position in positions]),
            seat=np.array([position.to_play for position in positions]),
            regret=exact - reached,
            outcome_regret=np.sign(exact) - np.sign(reached),
            decisive=decisive_of(action_margins),
        )

    @classmethod
    def joined(cls, parts: Sequence[ActionLosses]) -> ActionLosses:
        """Return the entries of all parts."""
        names = [entry.name for entry in fields(cls)]
        return cls(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))

    @classmethod
    def none(cls) -> ActionLosses:
        """Return no entries."""
        numbers = np.zeros(0, dtype=np.int64)
        names, flags = np.zeros(0, dtype=np.str_), np.zeros(0, dtype=np.bool_)
        return cls(names, numbers, numbers, numbers, numbers, numbers, flags)

    def where(self, chosen: NDArray[np.bool_]) -> ActionLosses:
        """Return the entries selected by a mask, bool ``(B,)``."""
        return ActionLosses(*(getattr(self, entry.name)[chosen] for entry in fields(self)))


def decisive_of(action_margins: NDArray[np.int16]) -> NDArray[np.bool_]:
    """Return in which positions the legal actions differ in outcome, bool ``(B,)``.

    Args:
        action_margins: see `ActionLosses.of`.
    """
    most = np.iinfo(np.int16).max
    worst = np.where(action_margins == ILLEGAL, most, action_margins).min(axis=1)
    decisive: NDArray[np.bool_] = np.sign(worst) < np.sign(action_margins.max(axis=1))
    return decisive
