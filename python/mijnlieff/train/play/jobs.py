"""The jobs of workers in a run: blocks of games."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from mijnlieff._mijnlieff import Network, Tablebase
from mijnlieff.train.boards import Boards
from mijnlieff.train.config import TrainConfig
from mijnlieff.train.network import CellNetwork, new_network
from mijnlieff.train.play.samples import SearchGames
from mijnlieff.train.play.search import play_round, self_play
from mijnlieff.train.play.symmetric_boards import SymmetricBoards
from mijnlieff.train.ppo.rollouts import Experience, RolloutCollector
from mijnlieff.train.process import torch_threads

__all__ = [
    "Block",
    "Weights",
    "play_rollouts",
    "play_searches",
    "weights_of",
]

Weights = dict[str, NDArray[np.float32]]
"""The weights of a network by name."""


@dataclass(frozen=True)
class Block:
    """A number of games with their own seed. Their result depends on this and the weights alone.

    Attributes:
        boards: the boards of the run.
        config: the settings; `num_envs` is the number of games.
        seed: the seed of everything random.
        tablebase: where positions are looked up that are solved; a worker opens the same file.
    """

    boards: Boards
    config: TrainConfig
    seed: int
    tablebase: Tablebase | None = None


def weights_of(network: CellNetwork) -> Weights:
    """A copy of the weights of a network, in the form that is sent to workers.

    Args:
        network: the network, on any device.
    """
    # Copied, because later training changes the tensors in place.
    return {name: value.cpu().numpy().copy() for name, value in network.state_dict().items()}


def _network(weights: Weights, boards: Boards, config: TrainConfig) -> CellNetwork:
    network = new_network(boards, config)
    # Copied, because PyTorch warns about arrays that cannot be written to.
    network.load_state_dict({name: torch.tensor(value) for name, value in weights.items()})
    return network


def play_searches(weights: Weights, block: Block) -> SearchGames:
    """Play a block with a tree search for every move.

    Args:
        weights: the weights of the player.
        block: the games.
    """
    with torch_threads(1):
        network = Network.from_torch(_network(weights, block.boards, block.config))
        games = self_play(network, block.boards, block.config, block.seed, block.tablebase)
        return play_round(games, block.config, SymmetricBoards(block.boards))


def play_rollouts(weights: Weights, block: Block) -> dict[str, Any]:
    """Play a block for PPO.

    Args:
        weights: the weights of the player.
        block: the games.

    Returns:
        The fields of `Experience`, with NumPy arrays for tensors, which are cheaper to send.
    """
    generator = torch.Generator().manual_seed(block.seed)
    with torch_threads(1):
        network = _network(weights, block.boards, block.config)
        games = RolloutCollector(block.boards.seen[0], block.config, generator)
        experience = games.play_round(network, block.seed)
        games.close()
    fields = {field.name for field in dataclasses.fields(Experience)}
    values = {name: getattr(experience, name) for name in fields}
    return {
        name: value.numpy() if isinstance(value, torch.Tensor) else value
        for name, value in values.items()
    }
