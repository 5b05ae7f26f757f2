"""Policies: what chooses actions, from names, from networks, and what is asked of every one.

The built-in policies are native, see `mijnlieff.RandomPolicy`, `mijnlieff.GreedyPolicy`,
`mijnlieff.MinimaxPolicy` and `mijnlieff.PerfectPolicy`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, Literal, Protocol, SupportsIndex, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import (
    BuiltinPolicy,
    GreedyPolicy,
    MinimaxPolicy,
    PerfectPolicy,
    Position,
    RandomPolicy,
    mask_batch,
    observe_batch,
)
from mijnlieff.champion import ChampionPolicy
from mijnlieff.errors import GameOverError, PolicyError
from mijnlieff.integers import integer, seed_of

__all__ = ["NetworkPolicy", "Policy", "choose_actions", "make_policy"]

_Network = Callable[[NDArray[Any], NDArray[np.int8]], Any]


@runtime_checkable
class Policy(Protocol):
    """Anything that chooses actions for positions that are not over."""

    def act(self, position: Position) -> int:
        """Return the action to play."""
        ...

    def act_batch(self, positions: Sequence[Position]) -> NDArray[np.int64]:
        """Return the actions to play, int64 ``(B,)``."""
        ...


def make_policy(
    policy: str | Policy, *, depth: SupportsIndex = 2, seed: SupportsIndex = 0
) -> Policy:
    """Return the policy with this name, or the policy itself.

    Args:
        policy: ``"random"``, ``"greedy"``, ``"minimax"``, ``"minimax:DEPTH"``, ``"perfect"``,
            ``"perfect:EPSILON"``, ``"champion"``, ``"champion:SIMULATIONS"``, or a policy.
        depth: the depth of a plain ``"minimax"``.
        seed: the seed of a policy made from a name.

    Raises:
        ValueError: an unknown name, or a depth or seed out of range.
        TypeError: neither a name nor a policy, or a depth or seed that is no integer.
        CheckpointError: the champion's file is damaged.
    """
    if not isinstance(policy, str):
        if isinstance(policy, Policy) and not isinstance(policy, type):
            return policy
        raise TypeError(
            "a policy is a name or an object with the methods act and act_batch, "
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
    """Return what a policy plays in these positions, checked.

    Raises:
        PolicyError: not one integer per position, or an action that is not legal; the message
            names the position.
    """
    chosen = policy.act_batch(positions)
    if isinstance(policy, BuiltinPolicy):
        return list(map(int, chosen))
    actions = np.asarray(chosen)
    if isinstance(chosen, list | tuple) and any(isinstance(one, bool | np.bool_) for one in chosen):
        actions = actions.astype(bool)  # NumPy takes booleans among integers for integers
    if actions.shape != (len(positions),) or actions.dtype.kind not in "iu":
        raise PolicyError(
            f"{policy!r} returned an array of dtype {actions.dtype} and shape {actions.shape} for "
            f"{len(positions)} positions; it has to be integers of shape ({len(positions)},)"
        )
    masks = mask_batch(positions)
    for i, action in enumerate(actions.tolist()):
        if not (0 <= action < masks.shape[1] and masks[i, action]):
            raise PolicyError(
                f"{policy!r} chose action {action} in position {i}, {positions[i]!r}, "
                f"where only {np.flatnonzero(masks[i]).tolist()} are legal"
            )
    return [int(action) for action in actions]


class NetworkPolicy:
    """A policy from a function that gives a number to every action.

    The function is called as ``fn(observations, masks)`` with observations ``(B, ...)`` of the
    layout chosen (float32, or uint64 for ``"packed"``) and int8 masks ``(B, num_actions)``. It
    returns logits ``(B, num_actions)``, or a tuple of logits and values, which are ignored, as
    anything that NumPy makes a real array of, PyTorch tensors included. Illegal actions are masked
    here, whatever their logits.

    Args:
        fn: the function.
        observation: the layout of observations, see `Position.observation`.
        temperature: 0 plays the legal action with the largest logit (of equal ones the first);
            above 0, actions are drawn with probabilities ``softmax(logits / temperature)``.
        seed: of the generator for draws, 0 to 2**64 - 1. It goes on from call to call, one row for
            each position.
        batch_size: the most positions given to `fn` at once.

    Raises:
        ValueError: unknown layout, a negative or infinite temperature, a batch size below 1, or a
            seed out of range.
        TypeError: `fn` cannot be called, or a number is no integer.
    """

    def __init__(
        self,
        fn: _Network,
        observation: Literal["planes", "flat", "packed"] = "flat",
        temperature: float = 0.0,
        seed: int = 0,
        batch_size: int = 4096,
    ) -> None:
        """Check and keep the settings."""
        if not callable(fn):
            raise TypeError(f"fn has to be a function of observations and masks, not {fn!r}")
        if observation not in ("planes", "flat", "packed"):
            raise ValueError(
                f"unknown observation layout {observation!r}; choose planes, flat or packed"
            )
        if not (temperature >= 0 and math.isfinite(temperature)):
            raise ValueError(f"temperature must be a finite number from 0, not {temperature!r}")
        batch_size = integer("batch_size", batch_size)
        if batch_size < 1:
            raise ValueError(f"batch_size must be at least 1, not {batch_size}")
        self.fn = fn
        self.observation = observation
        self.temperature = float(temperature)
        self.batch_size = batch_size
        self.seed = seed_of(seed)
        self._generator = np.random.default_rng(self.seed)

    def __repr__(self) -> str:
        """Return the settings; functions show their name."""
        name = getattr(self.fn, "__qualname__", type(self.fn).__name__)
        return (
            f"NetworkPolicy({name}, observation={self.observation!r}, "
            f"temperature={self.temperature}, seed={self.seed})"
        )

    def act(self, position: Position) -> int:
        """Return the action to play.

        Raises:
            GameOverError: the game is over.
            PolicyError: the function returned something else than logits, see `act_batch`.
        """
        return int(self.act_batch([position])[0])

    def act_batch(self, positions: Sequence[Position]) -> NDArray[np.int64]:
        """Return the actions to play, int64 ``(B,)``; all positions are of one variant.

        Raises:
            GameOverError: a game is over; the message says which.
            PolicyError: the function returned a wrong shape or dtype, NaN or +inf, or -inf for
                every legal action; the message names the position.
            ValueError: positions of several variants.
        """
        actions = np.empty(len(positions), dtype=np.int64)
        for start in range(0, len(positions), self.batch_size):
            batch = positions[start : start + self.batch_size]
            masks = mask_batch(batch)
            for i in np.flatnonzero(~masks.any(axis=1)):
                raise GameOverError(f"position {start + i}: the game is over")
            output = self.fn(observe_batch(batch, self.observation), masks)
            logits = self._check(output, masks, start)
            if self.temperature > 0:
                # The largest of logits with Gumbel noise is a draw from their softmax.
                noise = self._generator.gumbel(size=logits.shape)
                logits = logits / self.temperature + noise
            actions[start : start + len(batch)] = logits.argmax(axis=1)
        return actions

    def _check(self, output: Any, masks: NDArray[np.int8], start: int) -> NDArray[np.float64]:
        """Return the logits, float64, with -inf for illegal actions."""
        if isinstance(output, tuple):
            if len(output) != 2:
                raise PolicyError(
                    f"the network returned {len(output)} values; it has to be logits, or logits "
                    "and values"
                )
            output = output[0]
        if hasattr(output, "detach"):  # a PyTorch tensor, which may need gradients
            output = output.detach().cpu()
        try:
            logits = np.asarray(output)
        except (TypeError, ValueError, RuntimeError) as error:
            raise PolicyError(f"the network returned no array of numbers: {error}") from error
        if logits.dtype.kind not in "fiu":
            raise PolicyError(f"the logits have dtype {logits.dtype}, not a real number type")
        if logits.shape != masks.shape:
            raise PolicyError(
                f"the logits have shape {logits.shape}, but {masks.shape[0]} positions with "
                f"{masks.shape[1]} actions need {masks.shape}"
            )
        bad = np.isnan(logits) | np.isposinf(logits)
        for i in np.flatnonzero(bad.any(axis=1)):
            action = int(bad[i].argmax())
            raise PolicyError(
                f"position {start + i}: the logit of action {action} is {logits[i, action]}"
            )
        masked = np.where(masks.astype(bool), logits.astype(np.float64), -np.inf)
        for i in np.flatnonzero(np.isneginf(masked).all(axis=1)):
            raise PolicyError(f"position {start + i}: the logit of every legal action is -inf")
        return masked
