"""Measures a network against the built-in players."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mijnlieff._mijnlieff import Variant
from mijnlieff.evaluation import MatchReport, evaluate
from mijnlieff.policies import NetworkPolicy
from mijnlieff.train.config import CURVE_OPPONENTS, TrainConfig
from mijnlieff.train.network import CellNetwork
from mijnlieff.train.play.policy import search_policy
from mijnlieff.train.process import torch_threads

__all__ = ["Matches", "final_opponents", "measure"]


def final_opponents(variant: Variant) -> tuple[str, ...]:
    """Names of the opponents in the final table, weakest first.

    Args:
        variant: the game. Perfect play is among them on the standard variant only, where it is fast
            because the openings are in a book.
    """
    opponents = (*CURVE_OPPONENTS, "minimax:4")
    return (*opponents, "perfect") if variant == Variant() else opponents


@dataclass(frozen=True)
class Matches:
    """Matches of a network against built-in players.

    Attributes:
        variant: the game.
        opponents: names of the players.
        games: games per opponent, an even number.
        seed: seed of the openings and opponents.
        search: settings of a run to search with, see `search_policy`; None plays the network alone.
        num_simulations: simulations per search.
    """

    variant: Variant
    opponents: Sequence[str]
    games: int
    seed: int
    search: TrainConfig | None = None
    num_simulations: int = 64


def measure(
    network: CellNetwork,
    matches: Matches,
    progress: bool = False,
    num_threads: int | None = None,
) -> list[MatchReport]:
    """Play matches with the network's most likely actions, or with a tree search.

    Args:
        network: the player.
        matches: the matches.
        progress: show bars on a terminal.
        num_threads: the threads of a search; None is as many as there are cores.

    Returns:
        One report per opponent, in order.
    """
    variant, games, seed = matches.variant, matches.games, matches.seed
    if matches.search is None:
        policy = NetworkPolicy(network)
    else:
        policy = search_policy(
            network, matches.search, matches.num_simulations, seed, num_threads=num_threads
        )
    # The batches of a network alone are so small that several threads of PyTorch would be slower.
    with torch_threads(1):
        return [
            evaluate(policy, opponent, games, variant, seed=seed, progress=progress)
            for opponent in matches.opponents
        ]
