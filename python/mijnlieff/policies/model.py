"""What a `NetworkPolicy` plays by: anything that evaluates positions."""

from __future__ import annotations

from collections.abc import Callable
from types import MethodType
from typing import Any, Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np
from numpy.typing import DTypeLike, NDArray

from mijnlieff._mijnlieff import Canvas, Position, Variant
from mijnlieff.errors import PolicyError

__all__ = ["FunctionModel", "Layout", "Model", "check_inputs", "checked_logits"]

Layout: TypeAlias = Literal["planes", "flat", "packed"]


@runtime_checkable
class Model(Protocol):
    """A network that evaluates positions and knows which ones.

    `mijnlieff.Network` is one, and so are the networks of `mijnlieff.train`. `NetworkPolicy` makes
    one of any function.
    """

    @property
    def observation(self) -> Layout:
        """The layout of the observations it is shown, see `Position.observation`."""
        ...

    @property
    def dtype(self) -> DTypeLike:
        """The dtype of these observations, float32 or uint8; packed ones are uint64."""
        ...

    @property
    def canvas(self) -> Canvas | None:
        """The canvas of observations, masks and logits; None if they are those of one variant."""
        ...

    def check_variant(self, variant: Variant) -> None:
        """Raise unless the model can play a variant.

        Raises:
            PolicyError: it cannot.
        """
        ...

    def evaluate(self, observations: NDArray[Any], masks: NDArray[np.int8]) -> Any:
        """Evaluate positions for the side to move.

        Args:
            observations: ``(B, ...)``.
            masks: the legal actions, int8 ``(B, num_actions)``; the logits of other actions do not
                matter.

        Returns:
            Logits ``(B, num_actions)``, or a tuple of logits and values, which a search needs:
            ``(B,)``, between -1 and 1; or ``(B, 2)``, the expected outcome (-1 to 1) and the
            expected final margin in units of 4 points. Arrays or tensors.
        """
        ...


class FunctionModel:
    """A function of observations and masks as a `Model`.

    Args:
        fn: called as ``fn(observations, masks)``; it returns what `Model.evaluate` does.
        observation: the layout of observations; None is flat, and planes on a canvas.
        dtype: their dtype.
        canvas: the canvas, or None for positions of one variant at a time.
        check_variant: raises for variants that the function cannot play; None allows all.

    Raises:
        ValueError: an unknown layout, or a canvas and another layout than planes.
        TypeError: `fn` cannot be called, another dtype, or not a canvas.
    """

    def __init__(
        self,
        fn: Callable[[NDArray[Any], NDArray[np.int8]], Any],
        observation: Layout | None = None,
        dtype: DTypeLike = "float32",
        canvas: Canvas | None = None,
        check_variant: Callable[[Variant], None] | None = None,
    ) -> None:
        """Check the settings."""
        if not callable(fn):
            raise TypeError(f"model must be a network or a function, not {fn!r}")
        self.evaluate = fn
        self.check_variant = check_variant or _allow
        self.observation = check_inputs(observation, dtype, canvas)
        self.dtype = np.dtype(dtype)
        self.canvas = canvas

    def __repr__(self) -> str:
        """Return the name of the function and what it is shown."""
        return f"FunctionModel({self.arguments()})"

    def __eq__(self, other: object) -> bool:
        """Whether the other model has the same function and is shown the same."""
        if not isinstance(other, FunctionModel):
            return NotImplemented
        return self._identity() == other._identity()

    def __hash__(self) -> int:
        """Return a hash that is equal for equal models."""
        return hash(self._identity())

    def _identity(self) -> tuple[object, ...]:
        functions = _function_identity(self.evaluate), _function_identity(self.check_variant)
        return *functions, self.observation, self.dtype, self.canvas

    def arguments(self) -> str:
        """Return the name of the function and what it is shown, unless that is the default."""
        name = getattr(self.evaluate, "__qualname__", type(self.evaluate).__name__)
        if self.canvas is not None:
            return f"{name}, canvas={self.canvas!r}"
        return name if self.observation == "flat" else f"{name}, observation={self.observation!r}"


def _function_identity(fn: Callable[..., Any]) -> tuple[int, ...]:
    """Return what is equal for the same function, or the same method of the same object."""
    if isinstance(fn, MethodType):
        return id(fn.__self__), id(fn.__func__)
    return (id(fn),)  # objects may have an equality of any kind


def _allow(variant: Variant) -> None:
    """Do nothing: the function may raise when it sees a position."""


def check_inputs(observation: Layout | None, dtype: DTypeLike, canvas: Canvas | None) -> Layout:
    """Return the layout of observations, after checking what a model is to be shown.

    Raises:
        ValueError: an unknown layout, or a canvas and another layout than planes.
        TypeError: another dtype than float32 and uint8, or not a canvas.
    """
    if canvas is not None and not isinstance(canvas, Canvas):
        raise TypeError(f"canvas must be a Canvas or None, not {canvas!r}")
    if observation is None:
        observation = "flat" if canvas is None else "planes"
    # Raises for a layout or type not known.
    Position().observation(observation, dtype, canvas=None if canvas is None else Canvas(4, 4))
    return observation


def checked_logits(output: Any, masks: NDArray[np.int8], start: int = 0) -> NDArray[np.float64]:
    """Return the logits that a model gave, float64 ``(B, num_actions)``, -inf for illegal actions.

    Args:
        output: what `Model.evaluate` returned.
        masks: the legal actions.
        start: the number of the first position in messages.

    Raises:
        PolicyError: a wrong shape or dtype, a legal action whose logit is NaN or +inf, or -inf for
            every legal action of a position.
    """
    if isinstance(output, tuple):
        if len(output) != 2:
            raise PolicyError(
                f"the network returned a tuple of {len(output)}; it must return logits, or "
                "logits and values"
            )
        output = output[0]
    if hasattr(output, "detach"):  # a PyTorch tensor, which may need gradients
        output = output.detach().cpu()
        if str(output.dtype) == "torch.bfloat16":  # which NumPy does not have
            output = output.float()
    try:
        logits = np.asarray(output)
    except (TypeError, ValueError, RuntimeError) as error:
        raise PolicyError(f"the network did not return an array of numbers: {error}") from error
    if logits.dtype.name == "bfloat16":  # of JAX
        logits = logits.astype(np.float32)
    if logits.dtype.kind not in "fiu":
        raise PolicyError(f"the logits have dtype {logits.dtype}, not a real number type")
    if logits.shape != masks.shape:
        raise PolicyError(
            f"the logits have shape {logits.shape}, but {masks.shape[0]} positions with "
            f"{masks.shape[1]} actions need {masks.shape}"
        )
    legal = masks.astype(bool)
    bad = legal & (np.isnan(logits) | np.isposinf(logits))
    for i in np.flatnonzero(bad.any(axis=1)):
        action = int(bad[i].argmax())
        raise PolicyError(
            f"position {start + i}: the logit of action {action} is {logits[i, action]}"
        )
    masked = np.where(legal, logits.astype(np.float64), -np.inf)
    for i in np.flatnonzero(np.isneginf(masked).all(axis=1)):
        raise PolicyError(f"position {start + i}: the logit of every legal action is -inf")
    return masked
