"""Measuring a network against the built-in players."""

from __future__ import annotations

from collections.abc import Sequence

from mijnlieff import MatchReport, NetworkPolicy, Policy, Variant, evaluate
from mijnlieff.train.config import CURVE_OPPONENTS, TrainConfig
from mijnlieff.train.network import PolicyValueNetwork
from mijnlieff.train.run.policy import NetworkFunction, search_policy
from mijnlieff.train.run.threads import torch_threads

__all__ = ["final_opponents", "measure"]


def final_opponents(variant: Variant) -> tuple[str, ...]:
    """Names of the players for the final table, by strength.

    Args:
        variant: the game. Perfect play is quick on the standard one, whose openings are in a book.
    """
    opponents = (*CURVE_OPPONENTS, "minimax:4")
    return (*opponents, "perfect") if variant == Variant() else opponents


def measure(
    network: PolicyValueNetwork,
    variant: Variant,
    opponents: Sequence[str],
    games: int,
    seed: int,
    progress: bool = False,
    search: TrainConfig | None = None,
    num_simulations: int = 64,
) -> list[MatchReport]:
    """Play matches, the network choosing its likeliest action, or a search the best one.

    Args:
        network: the player.
        variant: the game.
        opponents: names of built-in players.
        games: per opponent; an even number.
        seed: of openings and opponents.
        progress: show bars on a terminal.
        search: play by tree search with the settings of this run, instead of by the network alone.
        num_simulations: of that search.

    Returns:
        One report per opponent, in order.
    """
    policy: Policy
    if search is None:
        policy = NetworkPolicy(NetworkFunction(network), observation="flat")
    else:
        policy = search_policy(network, search, num_simulations, seed)
    # The batches are small: handing them to several threads takes longer than working on them.
    with torch_threads(1):
        return [
            evaluate(policy, opponent, games, variant, seed=seed, progress=progress)
            for opponent in opponents
        ]
