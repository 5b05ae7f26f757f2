"""A policy from a function that returns a logit for every action."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import Canvas, Position, seed_of
from mijnlieff._util.arguments import number_up_to
from mijnlieff.errors import PolicyError
from mijnlieff.policies.batched import BatchedPolicy, Layout
from mijnlieff.policies.softmax import softmax

__all__ = ["NetworkPolicy"]

_Network = Callable[[NDArray[Any], NDArray[np.int8]], Any]


class NetworkPolicy(BatchedPolicy):
    """A policy from a function that returns a logit for every action.

    The function is called as ``fn(observations, masks)`` with observations ``(B, ...)`` in the
    chosen layout (float32, or uint64 for ``"packed"``) and int8 masks ``(B, num_actions)``. It
    returns logits ``(B, num_actions)``, or a tuple of logits and values; the values are ignored.
    Logits may be anything that NumPy converts to an array of real numbers, and PyTorch tensors.
    Illegal actions are masked by the policy, so their logits do not matter. A wrong shape or dtype,
    a logit that is NaN or +inf, and -inf for every legal action of a position raise `PolicyError`.

    Args:
        fn: the function.
        observation: the layout of observations, see `Position.observation`.
        temperature: 0 plays the legal action with the largest logit (the first of equal ones);
            above 0, actions are drawn with probabilities ``softmax(logits / temperature)``.
        seed: of the random generator, 0 to 2**64 - 1. The generator advances from call to call, by
            one row of numbers for each position.
        batch_size: the most positions passed to `fn` at once.
        canvas: None for positions of one variant at a time, or a `Canvas` for positions of any
            variants that fit: `fn` is shown planes and masks of the canvas and returns logits for
            its actions.

    Raises:
        ValueError: unknown layout, a canvas and another layout than planes, a negative or infinite
            temperature, a batch size below 1, or a seed out of range.
        TypeError: `fn` cannot be called, a number is not an integer, or not a canvas.
    """

    def __init__(
        self,
        fn: _Network,
        observation: Layout = "flat",
        temperature: float = 0.0,
        seed: int = 0,
        batch_size: int = 4096,
        *,
        canvas: Canvas | None = None,
    ) -> None:
        """Check the settings."""
        if not callable(fn):
            raise TypeError(f"fn must be a function of observations and masks, not {fn!r}")
        super().__init__(observation, batch_size, canvas=canvas)
        self.fn = fn
        self.temperature = number_up_to("temperature", temperature)
        self.seed = seed_of(seed)
        self._generator = np.random.default_rng(self.seed)

    def __repr__(self) -> str:
        """Return the settings; a function is shown by its name."""
        name = getattr(self.fn, "__qualname__", type(self.fn).__name__)
        canvas = "" if self.canvas is None else f", canvas={self.canvas!r}"
        return (
            f"NetworkPolicy({name}, observation={self.observation!r}, "
            f"temperature={self.temperature}, seed={self.seed}{canvas})"
        )

    def _choose(
        self, batch: Sequence[Position], masks: NDArray[np.int8], start: int
    ) -> NDArray[np.int64]:
        logits = self._logits(batch, masks, start)
        if self.temperature > 0:
            # The largest of logits with Gumbel noise is a draw from their softmax.
            noise = self._generator.gumbel(size=logits.shape)
            logits = logits / self.temperature + noise
        chosen: NDArray[np.int64] = logits.argmax(axis=1)
        return chosen

    @property
    def is_deterministic(self) -> bool:
        """Whether equal positions always get the same action, as far as the function does so."""
        return self.temperature == 0

    def action_probabilities(self, positions: Sequence[Position]) -> NDArray[np.float64]:
        """Return the probability of every action, float64 ``(B, num_actions)``.

        The columns are the actions of the variant. Only where a policy with a canvas is asked about
        positions of several variants, they are the actions of the canvas, as rows have one length.

        Raises:
            GameOverError: as in `act_batch`.
            PolicyError: as in `act_batch`.
            ValueError: no positions, or positions of several variants without a canvas.
            VariantError: as in `act_batch`.
        """
        shares = np.concatenate(
            [softmax(self._logits(*part), self.temperature) for part in self._parts(positions)]
        )
        variants = {position.variant for position in positions}
        if self.canvas is None or len(variants) > 1:
            return shares
        return shares[:, self.canvas.actions(variants.pop())]

    def _logits(
        self, batch: Sequence[Position], masks: NDArray[np.int8], start: int
    ) -> NDArray[np.float64]:
        """Return the logits for a part of the positions, with -inf for illegal actions."""
        return self._check(self.fn(self._observations(batch), masks), masks, start)

    def _check(self, output: Any, masks: NDArray[np.int8], start: int) -> NDArray[np.float64]:
        """Return the logits, float64, with -inf for illegal actions."""
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
