"""Plays by a network in training."""

from __future__ import annotations

import copy

from mijnlieff._mijnlieff import Network
from mijnlieff.policies import Model, NetworkPolicy
from mijnlieff.policies.searches import SOLVE_BELOW, ending_options
from mijnlieff.train.config import TrainConfig
from mijnlieff.train.network import CellNetwork

__all__ = ["search_policy", "solve_below_in_play"]


def solve_below_in_play(config: TrainConfig) -> int:
    """The most empty cells of a position that a search in play solves, unless told otherwise.

    A network plays with the knowledge that its training had, on one board and on many: nothing is
    solved unless it learned from exact labels, and then no position larger than those.

    Args:
        config: the settings of the run.
    """
    is_exact = config.algo == "alphazero" and config.knowledge == "exact"
    return min(SOLVE_BELOW, config.solve_roots_below) if is_exact else 0


_C_SCALE = 1.0
"""Finds more of the optimal moves than the default, where values are backed up by policy."""


def search_policy(
    network: CellNetwork,
    config: TrainConfig,
    num_simulations: int,
    seed: int = 0,
    *,
    solve_below: int | None = None,
    num_threads: int | None = None,
) -> NetworkPolicy:
    """A player that searches with a network.

    Args:
        network: the network; later training does not change how this plays.
        config: the settings of its run.
        num_simulations: simulations per search.
        seed: seed of the player.
        solve_below: the most empty cells of a position that is solved exactly; None is
            `solve_below_in_play`.
        num_threads: the threads of a search; None is as many as there are cores.

    Raises:
        CheckpointError: a weight is not finite.
    """
    if solve_below is None:
        solve_below = solve_below_in_play(config)
    options = ending_options(num_simulations, solve_below, margin_weight=config.margin_weight)
    if config.backup == "policy":
        options = options.replace(backup="policy", c_scale=_C_SCALE)
    return NetworkPolicy(_frozen(network), search=options, seed=seed, num_threads=num_threads)


def _frozen(network: CellNetwork) -> Model:
    """The network with its current weights; in native code if it is on the CPU."""
    if network.device.type != "cpu":
        frozen = copy.deepcopy(network)
        frozen.requires_grad_(False)
        return frozen
    return Network.from_torch(network)
