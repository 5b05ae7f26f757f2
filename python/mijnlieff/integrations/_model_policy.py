"""Models of other frameworks, trained in this package's environments, as policies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from mijnlieff.envs.spaces import layout_of
from mijnlieff.policies.network import NetworkPolicy

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from mijnlieff._mijnlieff import Canvas, Position

__all__ = ["ModelPolicy"]


class ModelPolicy(NetworkPolicy):
    """A `NetworkPolicy` that finds the layout and dtype of observations by the model's spaces.

    Args:
        fn: as for `NetworkPolicy`.
        observations: the space of the observations that the model was trained with.
        actions: the model's action space.
        temperature: as for `NetworkPolicy`, as are `seed` and `batch_size`.
        canvas: the canvas of the model's environment, None if it had none.

    Raises:
        ValueError: the spaces are not those of this package or of the canvas, or a setting is out
            of range.
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
        canvas: Canvas | None,
    ) -> None:
        """Check the spaces and settings."""
        layout = layout_of(observations, actions)
        super().__init__(fn, layout, temperature, seed, batch_size, canvas=canvas)
        self.dtype = observations.dtype
        self._trained_with = observations.shape, int(actions.n)
        if canvas is not None:
            self._check_spaces(repr(canvas), (canvas.observation_shape, canvas.num_actions))

    def _observations(self, batch: Sequence[Position]) -> NDArray[Any]:
        if self.canvas is None:
            variant = batch[0].variant
            theirs = variant.observation_shape(self.observation), variant.num_actions
            self._check_spaces(repr(variant), theirs)
        return super()._observations(batch)

    def _check_spaces(self, name: str, theirs: tuple[tuple[int, ...], int]) -> None:
        """Raise unless these are the shape and the number of actions of the model's spaces."""
        shape, num_actions = self._trained_with
        if theirs != (shape, num_actions):
            raise ValueError(
                f"the model was trained with observations {shape} and {num_actions} actions; "
                f"those of {name} have {theirs[0]} and {theirs[1]}"
            )
