"""Models of other frameworks, trained in this package's environments, as policies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from mijnlieff._mijnlieff import observe_batch
from mijnlieff.envs.spaces import layout_of
from mijnlieff.policies.network import NetworkPolicy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mijnlieff._mijnlieff import Position

__all__ = ["ModelPolicy"]


class ModelPolicy(NetworkPolicy):
    """A `NetworkPolicy` that finds the layout and dtype of observations by the model's spaces.

    Args:
        fn: as for `NetworkPolicy`.
        observations: the space of the observations that the model was trained with.
        actions: the model's action space.
        temperature: as for `NetworkPolicy`, as are `seed` and `batch_size`.

    Raises:
        ValueError: the spaces are not those of this package, or a setting is out of range.
        TypeError: a setting has a wrong type.
    """

    def __init__(
        self,
        fn: Callable[..., Any],
        observations: Any,
        actions: Any,
        temperature: float,
        seed: int,
        batch_size: int,
    ) -> None:
        """Check the spaces and settings."""
        layout = layout_of(observations, actions)
        super().__init__(fn, layout, temperature, seed, batch_size)
        self.dtype = observations.dtype
        self._trained_with = observations.shape, int(actions.n)

    def _observations(self, batch: Sequence[Position]) -> NDArray[Any]:
        variant, (shape, num_actions) = batch[0].variant, self._trained_with
        theirs = variant.observation_shape(self.observation), variant.num_actions
        if theirs != (shape, num_actions):
            raise ValueError(
                f"the model was trained with observations {shape} and {num_actions} actions; "
                f"those of {variant!r} have {theirs[0]} and {theirs[1]}"
            )
        return observe_batch(batch, self.observation, self.dtype)
