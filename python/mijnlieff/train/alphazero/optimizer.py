"""The optimisers: AdamW, or Muon for the hidden layers and AdamW for the rest."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor

from mijnlieff.train.config import TrainConfig
from mijnlieff.train.generalist.network import FrameNetwork
from mijnlieff.train.network import PolicyValueNetwork
from mijnlieff.train.network.layers import SharedLinear

__all__ = ["Muon", "Optimizer", "orthogonalized"]

_MOMENTUM = 0.95
_STEPS = 5
# The odd polynomial of Jordan et al., which takes singular values close to 1 in five steps.
_POLYNOMIAL = (3.4445, -4.7750, 2.0315)
# Steps as large as those that AdamW makes, so that both can share a learning rate.
_SCALE = 0.2


class Muon(torch.optim.Optimizer):
    """Muon (Jordan et al. 2024), for the hidden layers of the network.

    A step is the nearest orthogonal matrix to the mean of the gradients, so all directions are
    learnt at the same speed. A layer that shares weights over the symmetries is block-diagonal in
    the basis of the symmetries, and a matrix is orthogonal there if each of its blocks is. So this
    does what Muon would do to the whole matrix, with a fifth of the work on the square, and layers
    of the same shape are computed together. `torch.optim.Muon` takes single matrices only.
    """

    def __init__(self, layers: list[SharedLinear], lr: float, weight_decay: float) -> None:
        """Set up the optimiser.

        Args:
            layers: layers whose weights have the same shape.
            lr: step size, comparable to that of AdamW.
            weight_decay: as in AdamW.
        """
        self._layer = layers[0]
        defaults = {"lr": lr, "weight_decay": weight_decay}
        super().__init__([layer.weight for layer in layers], defaults)

    @torch.no_grad()
    def step(self, closure: Any = None) -> Any:
        """Change the weights by their gradients.

        Args:
            closure: computes the loss and the gradients first, as in `torch.optim.Optimizer`.

        Returns:
            What the closure returned, or None.
        """
        loss = None
        if closure is not None:
            with torch.enable_grad():
                loss = closure()
        for group in self.param_groups:
            weights = [weight for weight in group["params"] if weight.grad is not None]
            if not weights:
                continue
            gradients = torch.stack([weight.grad for weight in weights])
            means = torch.stack([self._mean(weight) for weight in weights])
            means.lerp_(gradients, 1 - _MOMENTUM)
            for weight, mean in zip(weights, means, strict=True):
                self.state[weight]["mean"] = mean.clone()
            ahead = gradients.lerp_(means, _MOMENTUM)  # Nesterov's
            matrices = [orthogonalized(part) for part in self._layer.matrices(ahead)]
            steps = self._layer.weight_of(matrices)
            outputs, inputs, size = self._layer.weight.shape
            length = _SCALE * math.sqrt(max(outputs * self._layer.order, inputs * size))
            for weight, step in zip(weights, steps, strict=True):
                weight.mul_(1 - group["lr"] * group["weight_decay"])
                weight.sub_(step, alpha=group["lr"] * length)
        return loss

    def _mean(self, weight: Tensor) -> Tensor:
        state = self.state[weight]
        mean: Tensor = state.setdefault("mean", torch.zeros_like(weight))
        return mean


def orthogonalized(matrices: Tensor) -> Tensor:
    """Nearly orthogonal matrices with the singular vectors of the given ones.

    Their singular values are about 0.7 to 1.2, which is close enough for steps.

    Args:
        matrices: `(..., rows, columns)`.
    """
    is_high = matrices.shape[-2] > matrices.shape[-1]
    found = matrices.mT if is_high else matrices
    found = found / (torch.linalg.matrix_norm(found, keepdim=True) + 1e-12)
    a, b, c = _POLYNOMIAL
    for _ in range(_STEPS):
        square = found @ found.mT
        found = a * found + (b * square + c * square @ square) @ found
    result: Tensor = found.mT if is_high else found
    return result


class Optimizer:
    """The optimiser of a run, as its settings say.

    Attributes:
        parts: the optimisers, each for a part of the weights.
    """

    def __init__(self, network: PolicyValueNetwork | FrameNetwork, config: TrainConfig) -> None:
        """Set up the optimisers.

        Args:
            network: the network to train.
            config: the settings.
        """
        options: dict[str, Any] = {
            "lr": config.learning_rate,
            "weight_decay": config.weight_decay,
        }
        hidden = []
        if config.optimizer == "muon":
            hidden = [
                layer for layer in network.blocks.modules() if isinstance(layer, SharedLinear)
            ]
        by_muon = {layer.weight for layer in hidden}
        rest = [weight for weight in network.parameters() if weight not in by_muon]
        self.parts: list[torch.optim.Optimizer] = [torch.optim.AdamW(rest, fused=True, **options)]
        if hidden:
            self.parts.append(Muon(hidden, **options))

    def step(self, learning_rate: float) -> None:
        """Change the weights by their gradients.

        Args:
            learning_rate: the step size.
        """
        for part in self.parts:
            for group in part.param_groups:
                group["lr"] = learning_rate
            part.step()

    def state_dict(self) -> dict[str, Any]:
        """The state, for checkpoints."""
        return {"parts": [part.state_dict() for part in self.parts]}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue from a state.

        Args:
            state: as `state_dict` returned it.

        Raises:
            ValueError: it is the state of another optimiser or network.
        """
        for part, saved in zip(self.parts, state["parts"], strict=True):
            part.load_state_dict(saved)
