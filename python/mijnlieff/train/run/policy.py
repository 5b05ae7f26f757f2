"""A trained network as a player."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from mijnlieff import MCTSPolicy, NetworkPolicy
from mijnlieff.errors import CheckpointError, PolicyError
from mijnlieff.train.alphazero.search_play import evaluator
from mijnlieff.train.config import TrainConfig
from mijnlieff.train.network import PolicyValueNetwork
from mijnlieff.train.run.checkpoint import Checkpoint, load_checkpoint

__all__ = [
    "CHECKPOINT_NAME",
    "NetworkFunction",
    "load_weights",
    "network_from_checkpoint",
    "policy_from_checkpoint",
    "search_policy",
]

CHECKPOINT_NAME = "checkpoint.pt"


class NetworkFunction:
    """A network between NumPy arrays, in the form that `NetworkPolicy` wants."""

    def __init__(self, network: PolicyValueNetwork) -> None:
        """Keep the network; later training changes what this plays.

        Args:
            network: the network.
        """
        self._network = network

    @torch.no_grad()
    def __call__(
        self, observations: NDArray[np.float32], mask: NDArray[Any]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Evaluate positions.

        Args:
            observations: float32 `(B, 3 * num_cells + 8)`, flat.
            mask: `(B, num_actions)`; not needed, the policy applies it.

        Returns:
            Logits, float32 `(B, num_actions)`, and expected outcomes for the side to move, float32
            `(B,)`.

        Raises:
            PolicyError: the positions are of a board that the network was not trained on.
        """
        expected = self._network.num_features
        if observations.ndim != 2 or observations.shape[1] != expected:
            raise PolicyError(
                f"the network was trained on a board with {expected} numbers per observation, "
                f"not on one with shape {observations.shape}"
            )
        numbers = torch.from_numpy(np.ascontiguousarray(observations))
        logits, values = self._network(numbers.to(self._network.device))
        return logits.cpu().numpy(), values[:, 0].cpu().numpy()


def load_weights(network: PolicyValueNetwork, checkpoint: Checkpoint, path: Path) -> None:
    """Give a network the weights of a checkpoint.

    Args:
        network: of the checkpoint's variant and settings.
        checkpoint: the content of the file.
        path: the file, for the message.

    Raises:
        CheckpointError: the weights do not fit the settings, or are not finite.
    """
    try:
        network.load_state_dict(checkpoint.network)
    except (RuntimeError, AttributeError, TypeError) as error:
        reason = " ".join(str(error).split())
        raise CheckpointError(f"the weights in {path} do not fit its settings: {reason}") from error
    if not all(bool(torch.isfinite(weight).all()) for weight in network.parameters()):
        raise CheckpointError(f"the weights in {path} are not all finite numbers")


def search_policy(
    network: PolicyValueNetwork, config: TrainConfig, num_simulations: int, seed: int = 0
) -> MCTSPolicy:
    """A player that searches with a network, as the network was trained.

    Args:
        network: the network; later training does not change what this plays.
        config: the settings of its run.
        num_simulations: of each search.
        seed: of the player.
    """
    return MCTSPolicy(
        num_simulations,
        evaluator(network, config.margin_weight),
        root="puct",
        seed=seed,
        margin_weight=config.margin_weight,
        solve_below=config.solve_below,
        num_threads=1,
    )


def network_from_checkpoint(
    path: str | os.PathLike[str],
) -> tuple[PolicyValueNetwork, Checkpoint]:
    """The network of a checkpoint, and what else is in the file.

    Args:
        path: the checkpoint, or the run's folder.

    Raises:
        CheckpointError: the file is missing, truncated, damaged or foreign.
    """
    file = Path(path)
    if file.is_dir():
        file = file / CHECKPOINT_NAME
    checkpoint = load_checkpoint(file)
    config = checkpoint.config
    network = PolicyValueNetwork(checkpoint.variant, config.width, config.blocks)
    load_weights(network, checkpoint, file)
    return network, checkpoint


def policy_from_checkpoint(
    path: str | os.PathLike[str], temperature: float, num_simulations: int
) -> NetworkPolicy | MCTSPolicy:
    """See `mijnlieff.train.load_policy`."""
    network, checkpoint = network_from_checkpoint(path)
    if num_simulations:
        return search_policy(network, checkpoint.config, num_simulations)
    return NetworkPolicy(NetworkFunction(network), observation="flat", temperature=temperature)
