"""The games of a round, by `mijnlieff.SelfPlay` under the settings of a run."""

from __future__ import annotations

import time

import numpy as np

from mijnlieff._mijnlieff import Network, Variant
from mijnlieff.self_play import SelfPlay
from mijnlieff.train.config import TrainConfig
from mijnlieff.train.play.samples import Samples, SearchGames

__all__ = ["play_round", "self_play"]


def self_play(network: Network, variant: Variant, config: TrainConfig, seed: int) -> SelfPlay:
    """Self-play under the settings of a run, on one thread.

    Args:
        network: the network with its current weights; later training does not change it.
        variant: the game.
        config: the settings of the search, and the number of games.
        seed: seed of the openings and searches.
    """
    return SelfPlay(
        network,
        variant,
        config.search_options,
        num_games=config.num_envs,
        random_plies=config.random_plies,
        solve_book_roots=config.knowledge == "exact",
        solved_temperature=config.solved_temperature,
        seed=seed,
        num_threads=1,
    )


def play_round(games: SelfPlay, count: int) -> SearchGames:
    """Play games to their end.

    Args:
        games: see `self_play`.
        count: how many.

    Raises:
        RuntimeError: another thread has called `SelfPlay.stop`.
    """
    began = time.monotonic()
    played = games.play(count)
    statistics = played.statistics
    return SearchGames(
        samples=Samples(
            played.observations,
            played.action_masks,
            played.policy_targets.astype(np.float16),
            played.outcomes.astype(np.float32),
            played.margins.astype(np.float32),
        ),
        steps=statistics.plies,
        games=statistics.games,
        simulations=statistics.simulations,
        evaluations=statistics.evaluations,
        solved=statistics.solved_roots,
        seconds=time.monotonic() - began,
    )
