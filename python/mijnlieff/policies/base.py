"""The policy interface, and policies by name.

The built-in policies are native, see `mijnlieff.RandomPolicy`, `mijnlieff.GreedyPolicy`,
`mijnlieff.MinimaxPolicy` and `mijnlieff.PerfectPolicy`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, SupportsIndex, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import (
    BuiltinPolicy,
    GreedyPolicy,
    MinimaxPolicy,
    PerfectPolicy,
    Position,
    RandomPolicy,
    own_masks,
)
from mijnlieff.policies.chosen import check_chosen
from mijnlieff.policies.exported import ChampionPolicy
from mijnlieff.policies.partial import ActPolicy, BatchPolicy, FromAct, FromBatch

__all__ = ["GamePolicy", "Policy", "PolicyLike", "choose_actions", "chosen_actions", "make_policy"]


@runtime_checkable
class Policy(Protocol):
    """Anything that chooses actions in positions that are not over."""

    def act(self, position: Position) -> int:
        """Return the action to play."""
        ...

    def act_batch(self, positions: Sequence[Position]) -> NDArray[np.int64]:
        """Return the actions to play, int64 ``(B,)``."""
        ...


@runtime_checkable
class GamePolicy(Policy, Protocol):
    """A policy that may play every game differently, and so needs to know which game it is in.

    Environments call ``act_games`` in place of ``act_batch``. A game keeps its number until it
    ends; the same seed gives the same numbers, and other games have other ones.
    """

    def act_games(
        self, positions: Sequence[Position], games: NDArray[np.uint64]
    ) -> NDArray[np.int64]:
        """Return the actions to play, int64 ``(B,)``, in games of these numbers ``(B,)``."""
        ...


#: What functions that take a policy accept: a name for `make_policy`, a policy, or an object that
#: has only one of its methods.
PolicyLike: TypeAlias = str | Policy | ActPolicy | BatchPolicy


def make_policy(policy: PolicyLike, *, depth: SupportsIndex = 2, seed: SupportsIndex = 0) -> Policy:
    """Return the policy with this name, or the policy itself.

    Args:
        policy: ``"random"``, ``"greedy"``, ``"minimax"``, ``"minimax:DEPTH"``, ``"perfect"``,
            ``"perfect:EPSILON"``, ``"champion"``, ``"champion:SIMULATIONS"``, or a policy. Of an
            object with only ``act`` or only ``act_batch`` the other method is made.
        depth: the depth of a plain ``"minimax"``.
        seed: the seed of a policy made from a name.

    Raises:
        ValueError: an unknown name, or a depth or seed out of range.
        TypeError: neither a name nor a policy, or a depth or seed that is not an integer.
        CheckpointError: the champion's file is damaged.
    """
    if not isinstance(policy, str):
        if not isinstance(policy, type):
            if isinstance(policy, Policy):
                return policy
            if isinstance(policy, BatchPolicy):
                return FromBatch(policy)
            if isinstance(policy, ActPolicy):
                return FromAct(policy)
        raise TypeError(
            "a policy is a name or an object with the method act or act_batch, "
            f"not {policy!r} of type {type(policy).__name__}"
        )
    kind, colon, argument = policy.partition(":")
    if kind == "minimax" and (not colon or _is_integer(argument)):
        return MinimaxPolicy(int(argument) if colon else depth, seed)
    if kind == "perfect" and (not colon or _is_number(argument)):
        return PerfectPolicy(seed, float(argument) if colon else 0.0)
    if policy == "random":
        return RandomPolicy(seed)
    if policy == "greedy":
        return GreedyPolicy(seed)
    if kind == "champion" and (not colon or _is_integer(argument)):
        return ChampionPolicy(seed, num_simulations=int(argument) if colon else 0)
    raise ValueError(
        f"unknown policy {policy!r}; choose random, greedy, minimax, minimax:DEPTH (such as "
        "minimax:4), perfect, perfect:EPSILON (such as perfect:0.1), champion or "
        "champion:SIMULATIONS (such as champion:64)"
    )


def _is_integer(text: str) -> bool:
    return text.removeprefix("-").isdecimal()


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def choose_actions(policy: Policy, positions: Sequence[Position]) -> list[int]:
    """Return the actions that a policy chooses in these positions, after checking them.

    Raises:
        PolicyError: the policy did not return one integer per position, or chose an illegal action;
            the message names the position.
    """
    actions: list[int] = chosen_actions(policy, positions).tolist()
    return actions


def chosen_actions(
    policy: Policy, positions: Sequence[Position], games: NDArray[np.uint64] | None = None
) -> NDArray[np.int64]:
    """Return the actions of `choose_actions`, int64 ``(B,)``.

    Args:
        policy: the policy, a `GamePolicy` if there are numbers of games.
        positions: the positions.
        games: the numbers of their games, or None.

    Raises:
        PolicyError: as in `choose_actions`.
    """
    if games is not None and isinstance(policy, GamePolicy):
        chosen = policy.act_games(positions, games)
    else:
        chosen = policy.act_batch(positions)
    if isinstance(policy, BuiltinPolicy):
        return chosen
    return check_chosen(policy, chosen, positions, own_masks(positions))
