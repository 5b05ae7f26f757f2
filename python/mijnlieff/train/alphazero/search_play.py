"""Self-play with a tree search for every move."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from mijnlieff import Position, TreeSearch, Variant, mask_batch, observe_batch
from mijnlieff.policies.mcts import search_value, search_with
from mijnlieff.train.alphazero.replay import Samples
from mijnlieff.train.config import TrainConfig
from mijnlieff.train.network import PolicyValueNetwork
from mijnlieff.train.network.native import native_network

__all__ = ["SearchGames", "evaluator", "play_with_search"]

_Evaluator = (
    Callable[[NDArray[np.float32], NDArray[np.int8]], tuple[torch.Tensor, torch.Tensor]]
    | Callable[
        [NDArray[np.float32], NDArray[np.int8]], tuple[NDArray[np.float32], NDArray[np.float32]]
    ]
)


@dataclass(frozen=True, slots=True)
class SearchGames:
    """The games of one round.

    Attributes:
        samples: the positions that were searched.
        steps: actions played, including random openings and forced passes.
        games: games finished.
        simulations: simulations of all searches.
        seconds: wall time.
    """

    samples: Samples
    steps: int
    games: int
    simulations: int
    seconds: float


def evaluator(network: PolicyValueNetwork, variant: Variant, margin_weight: float) -> _Evaluator:
    """The network with its current weights, as an evaluator for tree searches.

    On the CPU it is evaluated natively by integers, elsewhere by PyTorch.

    Args:
        network: the network; later training does not change the evaluator.
        variant: the game that the network was made for.
        margin_weight: share of the margin in a value, as in `TreeSearch`.

    Returns:
        A function of observations and masks that returns logits and values.

    Raises:
        CheckpointError: a weight is not finite.
    """
    if network.device.type == "cpu":
        native = native_network(network, variant)

        def evaluate_natively(
            observations: NDArray[np.float32], _masks: NDArray[np.int8]
        ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
            logits, values = native.evaluate(observations, "int16")
            return logits, search_value(values, margin_weight)

        return evaluate_natively
    frozen, device = network.frozen(), network.device

    def evaluate(
        observations: NDArray[np.float32], _masks: NDArray[np.int8]
    ) -> tuple[torch.Tensor, torch.Tensor]:
        with torch.no_grad():
            logits, values = frozen(torch.from_numpy(observations).to(device))
            return logits.cpu(), search_value(values, margin_weight).cpu()

    return evaluate


def play_with_search(
    evaluate: _Evaluator,
    variant: Variant,
    config: TrainConfig,
    seed: int,
    wants_stop: Callable[[], bool] = lambda: False,
) -> SearchGames:
    """Play `config.num_envs` games from the start to the end.

    Args:
        evaluate: see `evaluator`.
        variant: the game.
        config: the settings of the search, and the number of games.
        seed: seed of the openings and searches.
        wants_stop: asked before every ply; if true, the round is abandoned.

    Returns:
        The round; without samples if it was abandoned.
    """
    began = time.monotonic()
    generator = np.random.default_rng(seed)
    games = [Position(variant)] * config.num_envs
    random_plies = generator.integers(config.random_plies + 1, size=config.num_envs)
    for game, plies in enumerate(random_plies.tolist()):
        for _ in range(plies):
            if not games[game].is_over:
                games[game] = games[game].play(int(generator.choice(games[game].legal_actions())))
    plies_played: list[tuple[NDArray[Any], ...]] = []
    simulations = 0
    running = [game for game, position in enumerate(games) if not position.is_over]
    while running and not wants_stop():
        positions = [games[game] for game in running]
        masks = mask_batch(positions)
        # A forced pass is not a decision, so there is nothing to learn.
        free = np.flatnonzero(masks[:, -1] == 0)
        actions = np.full(len(running), variant.pass_action)
        if len(free):
            chosen = [positions[i] for i in free]
            search = TreeSearch(
                chosen,
                config.num_simulations,
                "gumbel",
                seed=int(generator.integers(2**63)),
                num_threads=1,
                max_considered=config.max_considered,
                c_scale=config.c_scale,
                margin_weight=config.margin_weight,
                solve_below=config.solve_below,
            )
            search_with(evaluate, search)
            actions[free] = search.actions
            simulations += config.num_simulations * int((~search.solved).sum())
            plies_played.append(
                (
                    np.array(running)[free],
                    np.array([position.to_play for position in chosen]),
                    observe_batch(chosen, "flat", "uint8"),
                    masks[free],
                    search.policy_targets.astype(np.float16),
                )
            )
        for game, action in zip(running, actions.tolist(), strict=True):
            games[game] = games[game].play(action)
        running = [game for game in running if not games[game].is_over]
    if running:
        plies_played, games = [], []
    return SearchGames(
        samples=_samples(variant, plies_played, games),
        steps=sum(position.ply for position in games),
        games=len(games),
        simulations=simulations,
        seconds=time.monotonic() - began,
    )


def _samples(
    variant: Variant, plies: list[tuple[NDArray[Any], ...]], games: list[Position]
) -> Samples:
    if not plies:
        features, actions = 3 * variant.board.num_cells + 8, variant.num_actions
        return Samples(
            np.empty((0, features), np.uint8),
            np.empty((0, actions), np.int8),
            np.empty((0, actions), np.float16),
            np.empty(0, np.float32),
            np.empty(0, np.float32),
        )
    game, to_play, observations, masks, policies = map(np.concatenate, zip(*plies, strict=True))
    light = np.array([position.margin for position in games], dtype=np.float32)[game]
    margins = np.where(to_play == 0, light, -light)
    return Samples(observations, masks, policies, np.sign(margins), margins)
