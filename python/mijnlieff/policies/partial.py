"""Policies that have only one of the two methods, made whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import Position

__all__ = ["ActPolicy", "BatchPolicy", "FromAct", "FromBatch"]


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


class FromAct:
    """A policy that asks another one about one position after the other."""

    def __init__(self, inner: ActPolicy) -> None:
        """Keep the policy that has only ``act``."""
        self.inner = inner

    def __repr__(self) -> str:
        """Return the policy asked."""
        return repr(self.inner)

    def act(self, position: Position) -> int:
        """Return the action to play."""
        return self.inner.act(position)

    def act_batch(self, positions: Sequence[Position]) -> Any:
        """Return the actions to play as a list, so that a caller can check each of them."""
        return [self.inner.act(position) for position in positions]


class FromBatch:
    """A policy that asks another one about batches of one position."""

    def __init__(self, inner: BatchPolicy) -> None:
        """Keep the policy that has only ``act_batch``."""
        self.inner = inner

    def __repr__(self) -> str:
        """Return the policy asked."""
        return repr(self.inner)

    def act(self, position: Position) -> int:
        """Return the action to play."""
        action: int = self.inner.act_batch([position])[0]
        return action

    def act_batch(self, positions: Sequence[Position]) -> NDArray[np.int64]:
        """Return the actions to play, one for each position."""
        return self.inner.act_batch(positions)
