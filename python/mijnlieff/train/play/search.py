"""The games of a round, by `mijnlieff.SelfPlay` under the settings of a run."""

from __future__ import annotations

import time
from typing import Any

from mijnlieff._mijnlieff import Network, Tablebase, solver_for
from mijnlieff.self_play import SelfPlay
from mijnlieff.train.boards import Boards
from mijnlieff.train.config import TrainConfig
from mijnlieff.train.play.policy import solves
from mijnlieff.train.play.returns import lambda_returns
from mijnlieff.train.play.samples import SearchGames
from mijnlieff.train.play.symmetric_boards import SymmetricBoards

__all__ = ["check_tablebase", "play_round", "self_play"]


def check_tablebase(tablebase: Tablebase | None, config: TrainConfig, boards: Boards) -> None:
    """Raise `ValueError` if a run cannot look its positions up in a tablebase, or would not."""
    if tablebase is None:
        return
    if not solves(config, boards):
        raise ValueError(
            f"{tablebase!r} would change nothing: only the algorithm 'alphazero' with knowledge "
            "'exact' solves positions, and only those with few empty cells"
        )
    for variant in boards.seen:
        solver_for(variant, tablebase)  # raises, now rather than in the first round


def self_play(
    network: Network,
    boards: Boards,
    config: TrainConfig,
    seed: int,
    tablebase: Tablebase | None = None,
    num_threads: int = 1,
) -> SelfPlay:
    """Self-play under the settings of a run.

    Args:
        network: the network with its current weights; later training does not change it.
        boards: each game is on one of the seen boards, each equally likely.
        config: the settings of the search, and the number of games.
        seed: seed of the boards, openings and searches.
        tablebase: where positions are looked up that are solved.
        num_threads: the threads that play; the games do not depend on it.
    """
    played: dict[str, Any] = {"variant": boards.seen[0], "observation": "flat"}
    if boards.canvas is not None:
        played = {"variants": boards.seen, "canvas": boards.canvas, "observation": "planes"}
    return SelfPlay(
        network,
        options=config.search_options,
        **played,
        num_games=config.num_envs,
        random_plies=config.random_plies,
        solve_book_roots=config.knowledge == "exact",
        solved_temperature=config.solved_temperature,
        seed=seed,
        num_threads=num_threads,
        tablebase=tablebase,
    )


def play_round(
    games: SelfPlay, config: TrainConfig, symmetric_boards: SymmetricBoards, num_threads: int = 1
) -> SearchGames:
    """Play the games of a round to their end.

    Args:
        games: see `self_play`.
        config: the settings; `num_envs` is the number of games.
        symmetric_boards: packs the samples.
        num_threads: the threads that evaluate for lambda-returns.

    Raises:
        RuntimeError: another thread has called `SelfPlay.stop`.
    """
    began = time.monotonic()
    played = games.play(config.num_envs)
    statistics = played.statistics
    values = lambda_returns(played, games.network, config.return_lambda, num_threads)
    return SearchGames(
        samples=symmetric_boards.pack(played, values),
        steps=statistics.plies,
        games=statistics.games,
        simulations=statistics.simulations,
        evaluations=statistics.evaluations,
        solved=statistics.solved_roots,
        seconds=time.monotonic() - began,
    )
