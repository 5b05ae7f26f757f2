"""A network as a function of NumPy arrays."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from mijnlieff.train.network.model import TorchModel

__all__ = ["PLAY_BATCH", "NetworkFunction"]

PLAY_BATCH = 512
"""Positions in a call on the CPU: what is computed for many more does not fit in its caches."""


class NetworkFunction:
    """A network as a function of NumPy arrays, as `NetworkPolicy` expects it."""

    def __init__(self, network: TorchModel) -> None:
        """Keep a reference to the network, so later training changes how this plays.

        Args:
            network: the network, for one board or many.
        """
        self._network = network

    @torch.no_grad()
    def __call__(
        self, observations: NDArray[np.float32], _masks: NDArray[Any]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Evaluate positions.

        Args:
            observations: float32, in the layout of the network.
            _masks: unused because the policy applies them.

        Returns:
            Logits, float32 `(B, num_actions)`, and expected outcomes for the side to move, float32
            `(B,)`.
        """
        numbers = torch.from_numpy(np.ascontiguousarray(observations))
        logits, values = self._network(numbers.to(self._network.device))
        return logits.cpu().numpy(), values[:, 0].cpu().numpy()
