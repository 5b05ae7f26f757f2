"""What networks in training have in common, as learners and as models that policies play by."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

__all__ = ["TorchModel", "masked_log_softmax"]

# Far below every real logit, so that exp of it is exactly 0; finite, since 0 * inf is NaN.
ILLEGAL_LOGIT = -1e9

_BATCH = 512
"""Positions in a call: what is computed for many more does not fit in the caches of a processor."""


class TorchModel(nn.Module):
    """The part of a network that is the same for every `mijnlieff.policies.Model` in PyTorch."""

    dtype = "float32"

    @property
    def device(self) -> torch.device:
        """The device of the weights."""
        return next(self.parameters()).device

    def weights(self) -> NDArray[np.float32]:
        """All weights and biases, layer by layer, float32 `(num_weights,)`."""
        weights = [parameter.detach().cpu().float().numpy() for parameter in self.parameters()]
        return np.concatenate([weight.ravel() for weight in weights])

    def outputs(self, counts: Tensor, precision: str) -> tuple[Tensor, Tensor]:
        """Evaluate positions to learn from them.

        Args:
            counts: observations as `from_counts` takes them.
            precision: what products are computed in, see `TrainConfig`.

        Returns:
            Logits and values, float32, on the network's device.
        """
        is_mixed = precision == "bfloat16"
        with torch.autocast(self.device.type, torch.bfloat16, enabled=is_mixed):
            logits, values = self(self.from_counts(counts))
        return logits.float(), values.float()

    def from_counts(self, counts: Tensor) -> Tensor:
        """Convert observations of counts to those that `forward` takes."""
        raise NotImplementedError

    def set_gradients(self, loss: Tensor, max_norm: float) -> Tensor:
        """Set the gradients of the weights to those of a loss, with a norm of at most `max_norm`.

        Returns:
            The norm before that.

        Raises:
            FloatingPointError: the loss or a gradient is not finite.
        """
        self.zero_grad()
        torch.autograd.backward(loss)
        norm: Tensor = nn.utils.clip_grad_norm_(self.parameters(), max_norm)
        if not bool(torch.isfinite(loss) & torch.isfinite(norm)):
            raise FloatingPointError(f"loss {loss.item()}, gradient norm {norm.item()}")
        return norm

    @torch.no_grad()
    def evaluate(
        self, observations: NDArray[np.float32], masks: NDArray[np.int8]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Evaluate positions with the current weights.

        Args:
            observations: float32, in the layout of the network.
            masks: unused, as the logits of illegal actions do not matter.

        Returns:
            Logits, float32 `(B, num_actions)`, and values for the side to move, float32 `(B, 2)`:
            expected outcome, and expected final margin in units of `MARGIN_UNIT` points.
        """
        parts = torch.split(torch.from_numpy(np.ascontiguousarray(observations)), _BATCH)
        outputs = [self(part.to(self.device)) for part in parts]
        logits, values = (torch.cat(one).cpu().numpy() for one in zip(*outputs, strict=True))
        return logits, values


def masked_log_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Log probabilities of the actions; illegal ones have probability 0.

    Args:
        logits: float32 `(B, num_actions)`.
        mask: bool `(B, num_actions)`, True where legal; at least one per row is.

    Returns:
        float32 `(B, num_actions)`.
    """
    return torch.log_softmax(logits.masked_fill(~mask, ILLEGAL_LOGIT), dim=1)
