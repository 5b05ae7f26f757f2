"""Plays by a network in training."""

from __future__ import annotations

import copy

from mijnlieff._mijnlieff import Network
from mijnlieff.policies import Model, NetworkPolicy
from mijnlieff.policies.searches import SOLVE_BELOW, ending_options
from mijnlieff.train.boards import Boards
from mijnlieff.train.config import TrainConfig
from mijnlieff.train.network import CellNetwork

__all__ = ["players", "search_policy", "solve_below_in_play", "solves"]


def solves(config: TrainConfig, boards: Boards) -> bool:
    """Whether a run ever solves a position: on large boards, its games may end before that.

    Args:
        config: the settings of the run.
        boards: its boards.
    """
    below = max(config.solve_roots_below, config.solve_leaves_below)
    return config.is_exact and boards.fewest_empty <= below


def solve_below_in_play(config: TrainConfig) -> int:
    """The most empty cells of a position that a search in play solves, unless told otherwise.

    A network plays with the knowledge that its training had, on one board and on many: nothing is
    solved unless it learned from exact labels, and then no position larger than those.

    Args:
        config: the settings of the run.
    """
    return min(SOLVE_BELOW, config.solve_roots_below) if config.is_exact else 0


_C_SCALE = 1.0
"""Finds more of the optimal moves than the default, where values are backed up by policy."""


def search_policy(
    model: Model,
    config: TrainConfig,
    num_simulations: int,
    seed: int = 0,
    *,
    solve_below: int | None = None,
    num_threads: int | None = None,
) -> NetworkPolicy:
    """A player that searches with a network.

    Args:
        model: the network.
        config: the settings of its run.
        num_simulations: simulations per search.
        seed: seed of the player.
        solve_below: the most empty cells of a position that is solved exactly; None is
            `solve_below_in_play`.
        num_threads: the threads of a search; None is as many as there are cores.
    """
    if solve_below is None:
        solve_below = solve_below_in_play(config)
    options = ending_options(num_simulations, solve_below, margin_weight=config.margin_weight)
    if config.backup == "policy":
        options = options.replace(backup="policy", c_scale=_C_SCALE)
    return NetworkPolicy(model, search=options, seed=seed, num_threads=num_threads)


def players(
    network: CellNetwork,
    config: TrainConfig,
    num_simulations: int,
    *,
    solve_below: int | None = None,
    on_workers: bool = False,
) -> tuple[NetworkPolicy, NetworkPolicy]:
    """The network alone and with a search, as `load_policy` has them; training goes on elsewhere.

    Args:
        network: the network with its current weights.
        config: the settings of its run.
        num_simulations: simulations per search.
        solve_below: see `search_policy`.
        on_workers: whether workers play, each with one thread and in native code. Otherwise a
            search evaluates on the network's device.
    """
    native = Network.from_torch(network)
    model: Model = native
    if network.device.type != "cpu" and not on_workers:
        model = copy.deepcopy(network).requires_grad_(False)
    search = search_policy(
        model,
        config,
        num_simulations,
        config.seed,
        solve_below=solve_below,
        num_threads=1 if on_workers else None,
    )
    return NetworkPolicy(native), search
