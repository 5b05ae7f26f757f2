"""Plays with a network on the one board that it has learnt."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from mijnlieff._mijnlieff import Network, Position, Variant, common_variant
from mijnlieff.errors import PolicyError
from mijnlieff.policies import MCTSPolicy, NetworkPolicy
from mijnlieff.policies.exported import SOLVE_BELOW
from mijnlieff.policies.mcts import search_value
from mijnlieff.train.config import TrainConfig
from mijnlieff.train.network import TrainableNetwork
from mijnlieff.train.network.function import PLAY_BATCH, NetworkFunction

__all__ = ["TrainedPolicy", "evaluator", "search_policy", "solve_below_in_play"]

_Evaluator = (
    Callable[[NDArray[np.float32], NDArray[np.int8]], tuple[torch.Tensor, torch.Tensor]]
    | Callable[
        [NDArray[np.float32], NDArray[np.int8]], tuple[NDArray[np.float32], NDArray[np.float32]]
    ]
)


class TrainedPolicy(NetworkPolicy):
    """A network that plays only what it was trained on."""

    def __init__(self, network: TrainableNetwork, variant: Variant, temperature: float) -> None:
        """Keep a reference to the network, so later training changes how this plays.

        Args:
            network: the network.
            variant: what it was trained on.
            temperature: see `NetworkPolicy`.
        """
        function = NetworkFunction(network)
        super().__init__(function, "flat", temperature, batch_size=PLAY_BATCH)
        self._variant = variant

    def act_batch(self, positions: Sequence[Position]) -> NDArray[np.int64]:
        """See `NetworkPolicy.act_batch`."""
        _check_game(self._variant, positions)
        return super().act_batch(positions)

    def action_probabilities(self, positions: Sequence[Position]) -> NDArray[np.float64]:
        """See `NetworkPolicy.action_probabilities`."""
        _check_game(self._variant, positions)
        return super().action_probabilities(positions)


class _TrainedSearch(MCTSPolicy):
    """A search by a network that plays only what the network was trained on."""

    def __init__(self, variant: Variant, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._variant = variant

    def act_batch(self, positions: Sequence[Position]) -> NDArray[np.int64]:
        _check_game(self._variant, positions)
        return super().act_batch(positions)


def _check_game(trained: Variant, positions: Sequence[Position]) -> None:
    """Raise for another board or number of copies, whose observations may have the same length."""
    if len(positions) == 0:
        return
    found = common_variant(positions)
    if (found.board, found.copies) != (trained.board, trained.copies):
        raise PolicyError(f"the network was trained on {trained!r} and cannot play {found!r}")


def evaluator(network: TrainableNetwork, margin_weight: float) -> _Evaluator:
    """The network with its current weights, as an evaluator for tree searches.

    On the CPU it is evaluated in native code with integers of 16 bits, elsewhere by PyTorch.

    Args:
        network: the network; later training does not change the evaluator.
        margin_weight: share of the margin in a value, as in `TreeSearch`.

    Returns:
        A function of observations and masks that returns logits and values.

    Raises:
        CheckpointError: a weight is not finite.
    """
    if network.device.type == "cpu":
        native = Network.from_torch(network)

        def evaluate_natively(
            observations: NDArray[np.float32], _masks: NDArray[np.int8]
        ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
            logits, values = native.evaluate(observations, precision="int16")
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


def solve_below_in_play(config: TrainConfig) -> int:
    """The most empty cells of a position that a search in play solves, unless told otherwise.

    A network plays with the knowledge that its training had, on one board and on many: nothing is
    solved unless it learnt from exact labels, and then no position larger than those.

    Args:
        config: the settings of the run.
    """
    is_exact = config.algo == "alphazero" and config.knowledge == "exact"
    return min(SOLVE_BELOW, config.solve_roots_below) if is_exact else 0


def search_policy(
    network: TrainableNetwork,
    variant: Variant,
    config: TrainConfig,
    num_simulations: int,
    seed: int = 0,
    *,
    solve_below: int,
) -> MCTSPolicy:
    """A player that searches with a network.

    Args:
        network: the network; later training does not change how this plays.
        variant: the game it was trained on.
        config: the settings of its run.
        num_simulations: simulations per search.
        seed: seed of the player.
        solve_below: the most empty cells of a position that is solved exactly.
    """
    return _TrainedSearch(
        variant,
        num_simulations,
        evaluator(network, config.margin_weight),
        root="gumbel",
        seed=seed,
        margin_weight=config.margin_weight,
        solve_below=solve_below,
        num_threads=1,
    )
