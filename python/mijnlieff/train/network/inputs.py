"""What networks for one board share: their variant, and flat observations of its positions."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from mijnlieff._mijnlieff import Variant

__all__ = ["FlatInputs"]


class FlatInputs(nn.Module):
    """The part of a network that knows the observations and actions of its variant.

    Attributes:
        variant: the game, the only one that the network can play.
        num_features: numbers in a flat observation of the variant.
        num_actions: actions of the variant.
        divisor: float32 `(num_features,)`; an observation of counts is divided by it.
    """

    divisor: Tensor

    def set_variant(self, variant: Variant) -> None:
        """Set the attributes.

        Args:
            variant: the game, the only one that the network can play.
        """
        self.variant = variant
        self.num_features = 3 * variant.board.num_cells + 8
        self.num_actions = variant.num_actions
        divisor = torch.ones(self.num_features)
        divisor[-8:] = float(variant.copies)
        self.register_buffer("divisor", divisor, persistent=False)

    def weights(self) -> NDArray[np.float32]:
        """All weights and biases, layer by layer, float32 `(num_weights,)`."""
        weights = [parameter.detach().cpu().float().numpy() for parameter in self.parameters()]
        return np.concatenate([weight.ravel() for weight in weights])

    def from_counts(self, counts: Tensor) -> Tensor:
        """Convert observations of counts to float.

        Args:
            counts: uint8 `(B, num_features)`, flat, with hands as counts; on any device.

        Returns:
            float32 `(B, num_features)`, flat, with hands as shares of `Variant.copies`, on the
            network's device.
        """
        return counts.to(self.divisor.device) / self.divisor
