"""The policy-value network: a residual MLP that is equivariant under the board's symmetries."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Literal

import numpy as np
import torch
from torch import Tensor, nn

from mijnlieff._mijnlieff import Canvas, Network, Variant
from mijnlieff.errors import PolicyError
from mijnlieff.train.network.features import TacticalFeatures
from mijnlieff.train.network.layers import BasisChange, SharedLinear, SharedReadout
from mijnlieff.train.network.model import TorchModel
from mijnlieff.train.network.symmetry import SymmetryGroup

__all__ = ["PolicyValueNetwork", "masked_log_softmax"]

# Far below every real logit, so that exp of it is exactly 0; finite, since 0 * inf is NaN.
ILLEGAL_LOGIT = -1e9


class PolicyValueNetwork(TorchModel):
    """Logits for every action and two values for the side to move.

    Rotating or mirroring a position permutes the logits in the same way and leaves the values
    unchanged, so a pattern learned in one orientation holds in all.

    Attributes:
        variant: the only game that the network can play.
        channels: channels of every hidden layer, each with a unit for every symmetry.
        num_features: numbers in a flat observation of the variant.
        num_actions: actions of the variant.
    """

    observation: Literal["flat"] = "flat"
    canvas: Canvas | None = None

    def __init__(self, variant: Variant, width: int, blocks: int) -> None:
        """Draw random weights from PyTorch's global generator.

        Args:
            variant: the game, the only one that the network can play.
            width: units of every hidden layer, rounded to a multiple of the number of symmetries.
            blocks: residual blocks of two layers.
        """
        super().__init__()
        group = SymmetryGroup.of(variant)
        self.channels = max(1, width // group.order)
        self.variant = variant
        self.num_features = 3 * variant.board.num_cells + 8
        self.num_actions = variant.num_actions
        self.features = TacticalFeatures(variant, group)
        # The values are two more outputs, which symmetries leave in place.
        values = self.num_actions + np.broadcast_to(np.arange(2), (group.order, 2))
        outputs = np.concatenate([group.actions, values], axis=1)
        self.of_inputs = BasisChange(self.features.table, group.elements)
        self.of_hidden = BasisChange(group.elements, group.elements)
        self.of_outputs = BasisChange(outputs, group.elements)
        self.inputs = SharedLinear(1, self.channels, self.of_inputs, self.of_hidden)
        self.blocks = nn.ModuleList(_Block(self.channels, self.of_hidden) for _ in range(blocks))
        self.heads = SharedReadout(self.channels, self.of_outputs, self.of_hidden)

    def check_variant(self, variant: Variant) -> None:
        """Raise for another board or number of copies, whose observations may have the same length.

        Args:
            variant: the game to play.

        Raises:
            PolicyError: the network cannot play it.
        """
        if (variant.board, variant.copies) != (self.variant.board, self.variant.copies):
            raise PolicyError(
                f"the network was trained on {self.variant!r} and cannot play {variant!r}"
            )

    def from_counts(self, counts: Tensor) -> Tensor:
        """Convert observations of counts to float.

        Args:
            counts: uint8 `(B, num_features)`, flat, with hands as counts; on any device.

        Returns:
            float32 `(B, num_features)`, flat, with hands as shares of `Variant.copies`, on the
            network's device.
        """
        observations = counts.to(self.device).float()
        observations[:, -8:] /= self.variant.copies
        return observations

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Evaluate positions.

        Args:
            observations: float32 `(B, num_features)`, flat.

        Returns:
            logits: float32 `(B, num_actions)`, not masked.
            values: float32 `(B, 2)` for the side to move: expected outcome (-1 to 1) and expected
                final margin in units of `MARGIN_UNIT` points.
        """
        of_hidden = self.of_hidden
        numbers = self.inputs(self.of_inputs.matrix @ self.features(observations))
        hidden, numbers = of_hidden.rectify(numbers)
        blocks: Iterable[Any] = self.blocks
        for block in blocks:
            _, inner = of_hidden.rectify(block.first(numbers))
            hidden, numbers = of_hidden.rectify(block.second(inner), hidden)
        outputs = self.heads(numbers).t() @ self.of_outputs.matrix
        logits, outcome, margin = torch.split(outputs, [self.num_actions, 1, 1], dim=1)
        return logits, torch.cat([torch.tanh(outcome), margin], dim=1)

    def outputs(self, counts: Tensor, precision: str) -> tuple[Tensor, Tensor]:
        """See `TorchModel.outputs`; products are always in float32."""
        return super().outputs(counts, "float32")

    def to_native(self) -> Network:
        """See `Network.from_torch`."""
        return Network.symmetric(self.variant, self.channels, len(self.blocks), self.weights())


class _Block(nn.Module):
    """Two shared layers with a skip connection; initially the identity."""

    def __init__(self, channels: int, hidden: BasisChange) -> None:
        super().__init__()
        self.first = SharedLinear(channels, channels, hidden, hidden)
        self.second = SharedLinear(channels, channels, hidden, hidden)
        nn.init.zeros_(self.second.weight)


def masked_log_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Log probabilities of the actions; illegal ones have probability 0.

    Args:
        logits: float32 `(B, num_actions)`.
        mask: bool `(B, num_actions)`, True where legal; at least one per row is.

    Returns:
        float32 `(B, num_actions)`.
    """
    return torch.log_softmax(logits.masked_fill(~mask, ILLEGAL_LOGIT), dim=1)
