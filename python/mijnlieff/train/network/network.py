"""The policy-value network: a residual MLP that respects the symmetries of the board."""

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

# Far below every real logit, yet finite: exp of it is exactly 0, and 0 times it is still a number.
ILLEGAL_LOGIT = -1e9
_Layer = Callable[[Tensor], Tensor]


class PolicyValueNetwork(nn.Module):
    """Logits for every action and two values for the side to move.

    Turning or mirroring a position turns the policy alike and leaves the values as they are: what
    is learnt in one orientation is known in all.

    Attributes:
        num_features: numbers in a flat observation of the variant.
        num_actions: of the variant.
        channels: of every hidden layer, each with a unit for every symmetry.
        divisor: float32 `(num_features,)`, units of the numbers in an observation of counts.
    """

    divisor: Tensor

    def __init__(self, variant: Variant, width: int, blocks: int) -> None:
        """Draw fresh weights from PyTorch's global generator.

        Args:
            variant: fixes the shapes; the network plays no other.
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
        # The values are two more outputs, which no symmetry moves.
        values = self.num_actions + np.broadcast_to(np.arange(2), (group.order, 2))
        self.heads = SharedReadout(self.channels, np.concatenate([group.actions, values], axis=1))

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return self.divisor.device

    def from_counts(self, counts: Tensor) -> Tensor:
        """Float observations from compact ones.

        Args:
            counts: uint8 `(B, num_features)`, flat, hands as counts; on any device.

        Returns:
            float32 `(B, num_features)`, flat, hands as shares of `Variant.copies`, on the network's
            device.
        """
        return counts.to(self.device) / self.divisor

    def forward(self, observations: Tensor) -> tuple[Tensor, Tensor]:
        """Evaluate positions.

        Args:
            observations: float32 `(B, num_features)`, flat.

        Returns:
            logits: float32 `(B, num_actions)`, illegal actions not yet ruled out.
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
        """What `forward` does with the weights of this moment, spread out once and for all.

        Returns:
            A function of float32 observations `(B, num_features)`. Later training does not change
            it, and it has no gradients.
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
    """Two shared layers around a skip connection; the identity at first."""

    def __init__(self, channels: int, group: SymmetryGroup) -> None:
        super().__init__()
        self.first = SharedLinear(channels, channels, group.elements)
        self.second = SharedLinear(channels, channels, group.elements)
        nn.init.zeros_(self.second.weight)


def _pairs(blocks: Iterable[Any]) -> list[tuple[SharedLinear, SharedLinear]]:
    return [(block.first, block.second) for block in blocks]


def masked_log_softmax(logits: Tensor, mask: Tensor) -> Tensor:
    """Log probabilities over the legal actions; those of illegal actions are exactly 0.

    Args:
        logits: float32 `(B, num_actions)`.
        mask: bool `(B, num_actions)`, True where legal; at least one per row.

    Returns:
        float32 `(B, num_actions)`.
    """
    return torch.log_softmax(logits.masked_fill(~mask, ILLEGAL_LOGIT), dim=1)
