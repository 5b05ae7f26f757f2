"""Models of other frameworks, trained in this package's environments, for policies."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from mijnlieff.envs.spaces import layout_of
from mijnlieff.policies import FunctionModel

if TYPE_CHECKING:
    from mijnlieff._mijnlieff import Canvas, Variant

__all__ = ["model_of"]


def model_of(
    fn: Callable[..., Any], observations: Any, actions: Any, canvas: Canvas | None
) -> FunctionModel:
    """Return a model that is shown what the spaces say, on boards that have these spaces.

    Args:
        fn: from observations and masks to logits, or to logits and values.
        observations: the space of the observations that the model was trained with.
        actions: the model's action space.
        canvas: the canvas of the model's environment, None if it had none.

    Raises:
        ValueError: the spaces are not those of this package or of the canvas.
        TypeError: not a canvas.
    """
    layout = layout_of(observations, actions)
    trained_with = observations.shape, int(actions.n)
    check_variant = None
    if canvas is None:
        check_variant = partial(_check_variant, layout, trained_with)
    model = FunctionModel(fn, layout, observations.dtype, canvas, check_variant)
    if canvas is not None:
        _check(repr(canvas), (canvas.observation_shape, canvas.num_actions), trained_with)
    return model


def _check_variant(
    layout: str, trained_with: tuple[tuple[int, ...], int], variant: Variant
) -> None:
    _check(repr(variant), (variant.observation_shape(layout), variant.num_actions), trained_with)


def _check(
    name: str, theirs: tuple[tuple[int, ...], int], trained_with: tuple[tuple[int, ...], int]
) -> None:
    """Raise unless these are the shape and the number of actions that a model was trained with."""
    if theirs != trained_with:
        raise ValueError(
            f"the model was trained with observations {trained_with[0]} and {trained_with[1]} "
            f"actions; those of {name} have {theirs[0]} and {theirs[1]}"
        )
