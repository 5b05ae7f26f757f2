"""The opponents to choose from, and the one that replaces the champion where it cannot play."""

from __future__ import annotations

from mijnlieff._mijnlieff import PerfectPolicy, Variant
from mijnlieff.policies.base import Policy
from mijnlieff.policies.load import load_policy
from mijnlieff.solving import EXACT_CELLS

__all__ = ["OPPONENTS", "STAND_IN", "Opponent"]

OPPONENTS = (
    "random",
    "greedy",
    "minimax:2",
    "minimax:4",
    "champion",
    "champion:64",
    "perfect:0.1",
    "perfect",
)
"""The names to choose from, roughly from weak to strong."""
STAND_IN = "minimax:4"
"""Replaces the champion where it cannot play."""


class Opponent:
    """An opponent by name, or a policy, on a variant.

    Args:
        policy: a name for `mijnlieff.load_policy`, or a policy.
        variant: the variant to play.
        seed: the seed of a policy made from a name.

    Attributes:
        chosen: the policy as it was given.
        choice: the name of the policy that was given.
        name: the name of the policy that plays.
        policy: the policy that plays.
        note: a sentence for the player if another policy stands in for the chosen one; or "".

    Raises:
        ValueError: an unknown name, or perfect play on a board of more than 16 cells.
        TypeError: neither a name nor a policy.
    """

    def __init__(self, policy: str | Policy, variant: Variant, seed: int = 0) -> None:
        """Make the policy."""
        self.chosen = policy
        self.name = self.choice = policy if isinstance(policy, str) else type(policy).__name__
        self.policy = load_policy(policy, seed=seed)
        self.note = ""
        num_cells = variant.board.num_cells
        if isinstance(self.policy, PerfectPolicy) and num_cells > EXACT_CELLS:
            raise ValueError(
                f"perfect play needs a board of up to {EXACT_CELLS} cells, and this one has "
                f"{num_cells}; choose for example {STAND_IN}"
            )
        if isinstance(policy, str) and policy.startswith("champion") and not _is_trained(variant):
            self.name, self.policy = STAND_IN, load_policy(STAND_IN, seed=seed)
            self.note = (
                f"The champion was trained for the standard board with two copies. {STAND_IN} "
                "plays instead."
            )


def _is_trained(variant: Variant) -> bool:
    """Return whether the champion knows the board and the number of pieces."""
    standard = Variant()
    return variant.board == standard.board and variant.copies == standard.copies
