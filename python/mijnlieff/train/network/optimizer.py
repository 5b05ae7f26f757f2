"""The optimizers: AdamW, or Muon for the hidden layers and AdamW for the rest."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn

from mijnlieff.train.config import TrainConfig
from mijnlieff.train.network.graph import Graph

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
    learned at the same speed. Layers of the same shape are computed together; `torch.optim.Muon`
    takes single matrices only.
    """

    def __init__(
        self,
        weights: list[Tensor],
        lr: float,
        weight_decay: float,
        *,
        dtype: torch.dtype = torch.float32,
    ) -> None:
        """Set up the optimizer.

        Args:
            weights: matrices of the same shape.
            lr: step size, comparable to that of AdamW.
            weight_decay: as in AdamW.
            dtype: what the orthogonal matrices are computed in; Jordan et al. take bfloat16.
        """
        super().__init__(weights, {"lr": lr, "weight_decay": weight_decay})
        self._dtype = dtype

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
                self._mean(weight).copy_(mean)
            ahead = gradients.lerp_(means, _MOMENTUM)  # Nesterov's
            scale = group["lr"] * _SCALE * math.sqrt(max(weights[0].shape))
            steps = orthogonalized(ahead.to(self._dtype)).to(ahead.dtype) * scale
            for weight, step in zip(weights, steps, strict=True):
                weight.mul_(1 - group["lr"] * group["weight_decay"]).sub_(step)
        return loss

    def _mean(self, weight: Tensor) -> Tensor:
        state = self.state[weight]
        if "mean" not in state:
            state["mean"] = torch.zeros_like(weight)
        mean: Tensor = state["mean"]
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
    """The optimizer of a run, as its settings say.

    Attributes:
        parts: the optimizers, each for a part of the weights.
    """

    def __init__(self, network: nn.Module, config: TrainConfig, *, as_graph: bool = False) -> None:
        """Set up the optimizers.

        Args:
            network: the network to train; its hidden layers are in `network.blocks`.
            config: the settings.
            as_graph: take steps by a `Graph`; gradients have to stay where they are.
        """
        options: dict[str, Any] = {
            "lr": config.learning_rate,
            "weight_decay": config.weight_decay,
        }
        groups = _hidden(network) if config.optimizer == "muon" else []
        by_muon = {weight for weights in groups for weight in weights}
        rest = [weight for weight in network.parameters() if weight not in by_muon]
        adamw = torch.optim.AdamW(rest, fused=True, capturable=as_graph, **options)
        self.parts: list[torch.optim.Optimizer] = [adamw]
        dtype = torch.bfloat16 if config.precision == "bfloat16" else torch.float32
        self.parts += [Muon(weights, **options, dtype=dtype) for weights in groups]
        self._device = rest[0].device
        self._graph = Graph(self._step) if as_graph else None

    def step(self, learning_rate: float) -> None:
        """Change the weights by their gradients.

        Args:
            learning_rate: the step size.
        """
        if self._graph is None:
            self._step(learning_rate)
        else:
            self._graph(torch.tensor(learning_rate, device=self._device))

    def _step(self, rate: float | Tensor) -> None:
        for part in self.parts:
            for group in part.param_groups:
                group["lr"] = rate
            part.step()

    def state_dict(self) -> dict[str, Any]:
        """The state, for checkpoints."""
        return {"parts": [part.state_dict() for part in self.parts]}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue from a state.

        Args:
            state: as `state_dict` returned it.

        Raises:
            ValueError: it is the state of another optimizer or network.
        """
        for part, saved in zip(self.parts, state["parts"], strict=True):
            part.load_state_dict(saved)
        for group in self.parts[0].param_groups:
            group["capturable"] = self._graph is not None  # the state may be of another device


def _hidden(network: nn.Module) -> list[list[Tensor]]:
    """The weights of the hidden layers, those of the same shape together."""
    groups: dict[tuple[int, ...], list[Tensor]] = {}
    for layer in network.get_submodule("blocks").modules():
        if isinstance(layer, nn.Linear):
            groups.setdefault(tuple(layer.weight.shape), []).append(layer.weight)
    return list(groups.values())
