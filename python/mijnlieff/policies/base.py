"""The policy interface, copies of policies, and the check of what they choose.

The built-in policies are native, see `mijnlieff.RandomPolicy`, `mijnlieff.GreedyPolicy`,
`mijnlieff.MinimaxPolicy` and `mijnlieff.PerfectPolicy`.
"""

from __future__ import annotations

import copy
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any, Generic, Protocol, TypeVar, cast, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import BuiltinPolicy, Position, Variant, own_masks
from mijnlieff.errors import PolicyError
from mijnlieff.policies.model import Model

__all__ = [
    "ActPolicy",
    "ActsInBatches",
    "ActsInGames",
    "BatchPolicy",
    "GamePolicy",
    "Policy",
    "act_checked",
    "check_actions",
    "legal_names",
    "own_copy",
    "variants_of",
    "whole_policy",
]


_Inner = TypeVar("_Inner")


@runtime_checkable
class ActPolicy(Protocol):
    """Anything that chooses an action in one position."""

    def act(self, position: Position) -> int:
        """Return the action to play."""
        ...


@runtime_checkable
class BatchPolicy(Protocol):
    """Anything that chooses actions in many positions at once."""

    def act_batch(self, positions: Sequence[Position]) -> NDArray[np.int64]:
        """Return the actions to play, int64 ``(B,)``."""
        ...


@runtime_checkable
class Policy(ActPolicy, BatchPolicy, Protocol):
    """Anything that chooses actions in positions that are not over."""


class ActsInBatches(ABC):
    """The method ``act`` of a policy that chooses actions in batches."""

    def act(self, position: Position) -> int:
        """Return the action to play.

        Raises:
            GameOverError: the game is over.
            PolicyError: as in ``act_batch``.
        """
        return int(self.act_batch([position])[0])

    @abstractmethod
    def act_batch(self, positions: Sequence[Position]) -> NDArray[np.int64]:
        """Return the actions to play, int64 ``(B,)``."""


class ActsInGames(ActsInBatches):
    """A policy that draws by the game where it knows the game, and otherwise by its decisions."""

    def act_games(
        self, positions: Sequence[Position], games: NDArray[np.uint64]
    ) -> NDArray[np.int64]:
        """Return the actions to play, int64 ``(B,)``, in games of these numbers ``(B,)``.

        What is drawn depends on the seed, the game and the ply, so that environments with the same
        seed play the same games. No decision is counted. Errors are those of `act_batch`.
        """
        return self._act(positions, games)

    @abstractmethod
    def _act(
        self, positions: Sequence[Position], games: NDArray[np.uint64] | None
    ) -> NDArray[np.int64]:
        """Return the actions to play, in games of these numbers or the next decisions."""


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


#: What makes a policy of an object, by the package that its class or a base comes from.
_WRAPPERS = {
    "stable_baselines3": "mijnlieff.integrations.sb3.SB3Policy(model)",
    "tensordict": "mijnlieff.integrations.torchrl.ActorPolicy(actor)",
    "ray": "mijnlieff.integrations.rllib.RLModulePolicy(module)",
    "pyspiel": "mijnlieff.integrations.open_spiel.BotPolicy(game, bot)",
    "torch": "mijnlieff.NetworkPolicy(fn), where fn(observations, masks) calls it",
}


#: Methods without a body. A class that derives from `GamePolicy` may leave all but one to them.
_DECLARED = (ActPolicy.act, BatchPolicy.act_batch, GamePolicy.act_games)


def _has(policy: object, method: str) -> bool:
    return hasattr(policy, method) and getattr(type(policy), method, None) not in _DECLARED


def whole_policy(policy: object) -> Policy:
    """Return a policy; of an object with only one of the two methods the other one is made.

    Raises:
        TypeError: not an object with ``act`` or ``act_batch``; the message names what makes a
            policy of a model of a framework.
    """
    if not isinstance(policy, type):
        acts, acts_in_batches = _has(policy, "act"), _has(policy, "act_batch")
        if acts and acts_in_batches:
            return cast("Policy", policy)
        if acts_in_batches:
            return _FromBatch(cast("BatchPolicy", policy))
        if acts:
            return _FromAct(cast("ActPolicy", policy))
        if isinstance(policy, Model):
            name = type(policy).__name__
            raise TypeError(f"a {name} has neither act nor act_batch: give NetworkPolicy(network)")
        for base in type(policy).__mro__:
            if wrapper := _WRAPPERS.get(base.__module__.partition(".")[0]):
                name = type(policy).__name__
                raise TypeError(f"a {name} has neither act nor act_batch: give {wrapper}")
    raise TypeError(
        "a policy is a name, a path or an object with the method act or act_batch, "
        f"not {policy!r} of type {type(policy).__name__}"
    )


#: What `best_response` and reports ask of a policy that has it.
_FURTHER = ("action_probabilities", "is_deterministic", "exact_endings")


class _Completed(Generic[_Inner]):
    """A policy with the other method that another one lacks, and all else that it is asked for."""

    def __init__(self, inner: _Inner) -> None:
        self.inner = inner
        # Not by __getattr__, which isinstance with GamePolicy does not ask from Python 3.12 on.
        if _has(inner, "act_games"):
            self.act_games = cast("GamePolicy", inner).act_games

    def __repr__(self) -> str:
        return repr(self.inner)

    def __getattr__(self, name: str) -> Any:
        if name in _FURTHER:
            return getattr(self.inner, name)
        raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")


class _FromAct(_Completed[ActPolicy]):
    """A policy that asks another one about one position after the other."""

    def act(self, position: Position) -> int:
        return self.inner.act(position)

    def act_batch(self, positions: Sequence[Position]) -> Any:
        """Return a list, so that a caller can check each action."""
        return [self.inner.act(position) for position in positions]


class _FromBatch(_Completed[BatchPolicy]):
    """A policy that asks another one about batches of one position."""

    def act(self, position: Position) -> int:
        action: int = self.inner.act_batch([position])[0]
        return action

    def act_batch(self, positions: Sequence[Position]) -> NDArray[np.int64]:
        return self.inner.act_batch(positions)


def variants_of(positions: Sequence[Position]) -> set[Variant]:
    """Return the variants of positions.

    Raises:
        TypeError: an item is not a `Position`.
    """
    for position in positions:
        if not isinstance(position, Position):
            raise TypeError(f"every position must be a Position, not {position!r}")
    return {position.variant for position in positions}


def own_copy(policy: Policy) -> Policy:
    """Return a deep copy of a policy, for games that must not depend on what it played before.

    Raises:
        PolicyError: it cannot be copied, such as one that holds a connection.
    """
    try:
        return copy.deepcopy(policy)
    except MemoryError:
        raise
    except Exception as error:  # its class may do anything
        raise PolicyError(
            f"{policy!r} cannot be copied ({error}), and without a copy games would depend on "
            "earlier ones; if it keeps nothing of a game, give its class a __deepcopy__ that "
            "returns it"
        ) from error


def act_checked(
    policy: Policy, positions: Sequence[Position], games: NDArray[np.uint64] | None = None
) -> NDArray[np.int64]:
    """Return the actions that a policy chooses, int64 ``(B,)``, after checking them.

    Args:
        policy: the policy, a `GamePolicy` if there are numbers of games.
        positions: the positions.
        games: the numbers of their games, or None.

    Raises:
        PolicyError: the policy did not return one integer per position, or chose an illegal action;
            the message names the position.
    """
    asked = list(positions)  # the policy may sort its list; the answer counts for the caller's
    if games is not None and isinstance(policy, GamePolicy):
        chosen = policy.act_games(asked, games.copy())
    else:
        chosen = policy.act_batch(asked)
    if isinstance(policy, BuiltinPolicy):
        return chosen
    return check_actions(policy, chosen, positions, own_masks(positions))


def check_actions(
    policy: object,
    chosen: Any,
    positions: Sequence[Position],
    masks: NDArray[np.int8],
    start: int = 0,
) -> NDArray[np.int64]:
    """Return the actions that a policy chose, int64 ``(B,)``.

    Args:
        policy: the policy, for messages.
        chosen: what it returned.
        positions: the positions it was asked about.
        masks: their legal actions.
        start: the number of the first position in messages.

    Raises:
        PolicyError: not one integer for each position, or an illegal action; the message names the
            position.
    """
    if hasattr(chosen, "detach"):  # a PyTorch tensor
        chosen = chosen.detach().cpu()
    try:
        actions = np.asarray(chosen)
    except (TypeError, ValueError, RuntimeError) as error:
        raise PolicyError(
            f"{policy!r} did not return an array of integers of shape ({len(positions)},): {error}"
        ) from error
    if isinstance(chosen, list | tuple) and any(isinstance(one, bool | np.bool_) for one in chosen):
        actions = actions.astype(bool)  # NumPy converts booleans among integers to integers
    if actions.shape != (len(positions),) or actions.dtype.kind not in "iu":
        raise PolicyError(
            f"{policy!r} returned an array of dtype {actions.dtype} and shape {actions.shape} for "
            f"{len(positions)} positions; it must return integers of shape ({len(positions)},)"
        )
    exists = (actions >= 0) & (actions < masks.shape[1])
    legal = masks[np.arange(len(actions)), np.where(exists, actions, 0).astype(np.int64)]
    for i in np.flatnonzero(~(exists & legal.astype(bool))).tolist():
        raise PolicyError(
            f"{policy!r} chose action {actions[i]} in position {start + i}, {positions[i]!r}, "
            f"where only {np.flatnonzero(masks[i]).tolist()} are legal: {legal_names(positions[i])}"
        )
    return actions.astype(np.int64)


def legal_names(position: Position) -> str:
    """Return the legal actions as people write them, for messages with their numbers."""
    return " ".join(map(position.variant.action_name, position.legal_actions()))
