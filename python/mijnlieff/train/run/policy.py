"""The network of a checkpoint: as a player, and as a file that is played without PyTorch."""

from __future__ import annotations

import os
from pathlib import Path

import torch

from mijnlieff._mijnlieff import Network
from mijnlieff.errors import CheckpointError
from mijnlieff.policies import NetworkPolicy
from mijnlieff.train.network import CellNetwork, new_network
from mijnlieff.train.play.policy import search_policy
from mijnlieff.train.run.checkpoint import Checkpoint, load_checkpoint
from mijnlieff.train.run.folder import RunFolder

__all__ = [
    "export_checkpoint",
    "load_weights",
    "network_from_checkpoint",
    "policy_from_checkpoint",
]


def load_weights(network: CellNetwork, checkpoint: Checkpoint, path: Path) -> None:
    """Load the weights of a checkpoint into a network.

    Args:
        network: a network of the checkpoint's boards and settings.
        checkpoint: the content of the file.
        path: the file, for the message.

    Raises:
        CheckpointError: the weights do not match the settings, or are not finite.
    """
    try:
        network.load_state_dict(checkpoint.network)
    except (RuntimeError, AttributeError, TypeError) as error:
        if isinstance(error, torch.cuda.OutOfMemoryError):
            raise
        reason = " ".join(str(error).split())
        raise CheckpointError(
            f"the weights in {path} do not match its settings: {reason}"
        ) from error
    if not all(bool(torch.isfinite(weight).all()) for weight in network.parameters()):
        raise CheckpointError(f"some weights in {path} are NaN or infinite")


def network_from_checkpoint(
    path: str | os.PathLike[str],
) -> tuple[CellNetwork, Checkpoint]:
    """The network of a checkpoint, and the whole content of the file.

    Args:
        path: the checkpoint, or the run's folder.

    Raises:
        CheckpointError: the file is missing, truncated, damaged or not a checkpoint.
    """
    file = Path(path)
    if file.is_dir():
        file = RunFolder(file).checkpoint
    checkpoint = load_checkpoint(file)
    network = new_network(checkpoint.boards, checkpoint.config)
    load_weights(network, checkpoint, file)
    return network, checkpoint


def policy_from_checkpoint(
    path: str | os.PathLike[str],
    num_simulations: int,
    seed: int,
    solve_below: int | None = None,
) -> NetworkPolicy:
    """A player by the network of a checkpoint, evaluated in native code as its exported file is.

    Args:
        path: the checkpoint, or the run's folder.
        num_simulations: of a search before every move, with a Gumbel root and without noise; 0
            plays the network alone.
        seed: of the player.
        solve_below: see `search_policy`.

    Raises:
        CheckpointError: as `network_from_checkpoint`.
    """
    trained, checkpoint = network_from_checkpoint(path)
    network = Network.from_torch(trained)
    if not num_simulations:
        return NetworkPolicy(network, seed=seed)
    config = checkpoint.config
    return search_policy(network, config, num_simulations, seed, solve_below=solve_below)


def export_checkpoint(
    checkpoint: str | os.PathLike[str], out: str | os.PathLike[str], *, half: bool = False
) -> tuple[Network, Checkpoint]:
    """Write the network of a checkpoint to a file, which is replaced whole or not at all.

    A network for several boards plays all that fit its canvas.

    Args:
        checkpoint: a checkpoint of `mijnlieff train`, or the run's folder.
        out: the file to write.
        half: round the weights to 16 bits, see `Network.half`.

    Returns:
        The network that was written, and the whole content of the checkpoint.

    Raises:
        CheckpointError: the checkpoint is missing, truncated, damaged or not a checkpoint, or a
            weight is too large for 16 bits.
        OSError: the file cannot be written.
    """
    trained, content = network_from_checkpoint(checkpoint)
    network = Network.from_torch(trained)
    if half:
        network = network.half()
    network.save(out)
    return network, content
