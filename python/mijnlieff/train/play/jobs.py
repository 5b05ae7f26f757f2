"""The jobs of workers in a run: blocks of games."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

import torch

from mijnlieff._mijnlieff import Network, Tablebase
from mijnlieff.train.boards import Boards
from mijnlieff.train.config import TrainConfig
from mijnlieff.train.play.samples import SearchGames
from mijnlieff.train.play.search import play_round, self_play
from mijnlieff.train.play.symmetric_boards import SymmetricBoards
from mijnlieff.train.ppo.rollouts import Experience, RolloutCollector
from mijnlieff.train.process import torch_threads

__all__ = [
    "Block",
    "play_rollouts",
    "play_searches",
]


@dataclass(frozen=True)
class Block:
    """A number of games with their own seed. Their result depends on this and the network alone.

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


def play_searches(network: Network, block: Block) -> SearchGames:
    """Play a block with a tree search for every move.

    Args:
        network: the player.
        block: the games.
    """
    with torch_threads(1):
        games = self_play(network, block.boards, block.config, block.seed, block.tablebase)
        return play_round(games, block.config, SymmetricBoards(block.boards))


def play_rollouts(network: Network, block: Block) -> dict[str, Any]:
    """Play a block for PPO.

    Args:
        network: the player.
        block: the games.

    Returns:
        The fields of `Experience`, with NumPy arrays for tensors, which are cheaper to send.
    """
    generator = torch.Generator().manual_seed(block.seed)
    with torch_threads(1):
        games = RolloutCollector(block.boards.seen[0], block.config, generator)
        experience = games.play_round(network, block.seed)
        games.close()
    fields = {field.name for field in dataclasses.fields(Experience)}
    values = {name: getattr(experience, name) for name in fields}
    return {
        name: value.numpy() if isinstance(value, torch.Tensor) else value
        for name, value in values.items()
    }
