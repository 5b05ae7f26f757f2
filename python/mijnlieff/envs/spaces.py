"""The Gymnasium spaces of a variant, and of variants on a canvas."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from gymnasium.spaces import Box, Discrete

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import DTypeLike

    from mijnlieff._mijnlieff import Canvas, Variant

__all__ = ["layout_of", "observation_space"]


def observation_space(
    variants: Sequence[Variant],
    observation: str = "flat",
    dtype: DTypeLike = "float32",
    canvas: Canvas | None = None,
) -> Box:
    """Return the space of one observation.

    Args:
        variants: the variants that a game may have; one without a canvas.
        observation: ``"flat"``, ``"planes"`` or ``"packed"``; on a canvas always planes.
        dtype: float32 or uint8; packed observations are always uint64.
        canvas: the canvas of the observations, if they have one.

    Returns:
        A box with exact bounds: hands are fractions from 0 to 1 in float32, and counts in uint8.

    Raises:
        ValueError: an unknown layout.
        TypeError: the dtype is neither float32 nor uint8.
        VariantError: packed observations cannot hold this variant.
    """
    shape: tuple[int, ...]
    if canvas is None:
        shape = variants[0].observation_shape(observation)
    else:
        shape = canvas.observation_shape
    if observation == "packed":
        return Box(0, np.iinfo(np.uint64).max, shape, np.uint64)
    number = np.dtype(dtype)
    if number not in (np.float32, np.uint8):
        raise TypeError(f"observations have dtype float32 or uint8, not {number}")
    high = np.ones(shape, number)
    # The last eight planes, or numbers, are the two hands.
    copies = max(variant.copies for variant in variants)
    high[-8:] = copies if number == np.uint8 else 1
    return Box(np.zeros_like(high), high, dtype=number.type)


def layout_of(observations: Any, actions: Any) -> Literal["flat", "planes"]:
    """Return the layout of observations of a model that was trained in these spaces.

    Raises:
        ValueError: they are not spaces of this package, or those of packed observations.
    """
    if not isinstance(actions, Discrete):
        raise ValueError(f"the model's action space must be Discrete, not {actions}")
    cells, rest = divmod(int(actions.n) - 1, 4)
    if isinstance(observations, Box) and rest == 0:
        if observations.shape == (3 * cells + 8,):
            return "flat"
        if len(observations.shape) == 3 and observations.shape[0] == 12:
            return "planes"
    raise ValueError(
        f"the model was trained with the observation space {observations} and {actions.n} actions; "
        "those of this package are 'flat' (3 * cells + 8,) or 'planes' (12, height, width), and "
        "4 * cells + 1"
    )
