"""The policy-value network: a residual MLP that is equivariant under the board's symmetries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from mijnlieff import Variant
from mijnlieff.train.network.features import TacticalFeatures
from mijnlieff.train.network.layers import SharedLinear, SharedReadout
from mijnlieff.train.network.symmetry import SymmetryGroup

__all__ = ["PolicyValueNetwork", "masked_log_softmax"]

# Far below every real logit, so that exp of it is exactly 0; finite, since 0 * inf is NaN.
ILLEGAL_LOGIT = -1e9
_Layer = Callable[[Tensor], Tensor]


class PolicyValueNetwork(nn.Module):
    """Logits for every action and two values for the side to move.

    Rotating or mirroring a position permutes the logits in the same way and leaves the values
    unchanged, so a pattern learnt in one orientation holds in all.

    Attributes:
        num_features: numbers in a flat observation of the variant.
        num_actions: actions of the variant.
        channels: channels of every hidden layer, each with a unit for every symmetry.
        divisor: float32 `(num_features,)`; an observation of counts is divided by it.
    """

    divisor: Tensor

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
        self.num_actions = variant.num_actions
        self.num_features = group.features.shape[1]
        divisor = torch.ones(self.num_features)
        divisor[-8:] = float(variant.copies)
        self.register_buffer("divisor", divisor, persistent=False)
        self.features = TacticalFeatures(variant, group)
        self.inputs = SharedLinear(1, self.channels, self.features.table)
        self.blocks = nn.ModuleList(_Block(self.channels, group) for _ in range(blocks))
        # The values are two more outputs, which symmetries leave in place.
        values = self.num_actions + np.broadcast_to(np.arange(2), (group.order, 2))
        self.heads = SharedReadout(self.channels, np.concatenate([group.actions, values], axis=1))

    @property
    def device(self) -> torch.device:
        """The device of the weights."""
        return self.divisor.device

    def from_counts(self, counts: Tensor) -> Tensor:
        """Convert observations of counts to float.

        Args:
            counts: uint8 `(B, num_features)`, flat, with hands as counts; on any device.

        Returns:
            float32 `(B, num_features)`, flat, with hands as shares of `Variant.copies`, on the
            network's device.
        """
        return counts.to(self.device) / self.divisor

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Evaluate positions.

        Args:
            observations: float32 `(B, num_features)`, flat.

        Returns:
            logits: float32 `(B, num_actions)`, not masked.
            values: float32 `(B, 2)` for the side to move: expected outcome (-1 to 1) and expected
                final margin in units of `MARGIN_UNIT` points.
        """
        return self._evaluate(
            observations,
            self.inputs,
            _pairs(self.blocks),
            self.heads,
        )

    def frozen(self) -> Callable[[Tensor], tuple[Tensor, Tensor]]:
        """A faster copy of `forward` with the current weights, expanded once.

        Returns:
            A function of float32 observations `(B, num_features)`, without gradients. Later
            training does not change it.
        """

        def freeze(layer: SharedLinear | SharedReadout) -> _Layer:
            weight, bias = (tensor.detach().clone() for tensor in layer.dense())
            return partial(functional.linear, weight=weight, bias=bias)

        inputs, heads = freeze(self.inputs), freeze(self.heads)
        blocks = [(freeze(first), freeze(second)) for first, second in _pairs(self.blocks)]
        return lambda observations: self._evaluate(observations, inputs, blocks, heads)

    def _evaluate(
        self,
        observations: Tensor,
        inputs: _Layer,
        blocks: Sequence[tuple[_Layer, _Layer]],
        heads: _Layer,
    ) -> tuple[Tensor, Tensor]:
        hidden = torch.relu(inputs(self.features(observations)))
        for first, second in blocks:
            hidden = torch.relu(hidden + second(torch.relu(first(hidden))))
        outputs = heads(hidden)
        logits, outcome, margin = torch.split(outputs, [self.num_actions, 1, 1], dim=1)
        return logits, torch.cat([torch.tanh(outcome), margin], dim=1)


class _Block(nn.Module):
    """Two shared layers with a skip connection; initially the identity."""

    def __init__(self, channels: int, group: SymmetryGroup) -> None:
        super().__init__()
        self.first = SharedLinear(channels, channels, group.elements)
        self.second = SharedLinear(channels, channels, group.elements)
        nn.init.zeros_(self.second.weight)


def _pairs(blocks: Iterable[Any]) -> list[tuple[SharedLinear, SharedLinear]]:
    return [(block.first, block.second) for block in blocks]


def masked_log_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Log probabilities of the actions; illegal ones have probability 0.

    Args:
        logits: float32 `(B, num_actions)`.
        mask: bool `(B, num_actions)`, True where legal; at least one per row is.

    Returns:
        float32 `(B, num_actions)`.
    """
    return torch.log_softmax(logits.masked_fill(~mask, ILLEGAL_LOGIT), dim=1)
