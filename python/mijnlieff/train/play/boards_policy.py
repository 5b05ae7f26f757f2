"""Plays with a network that has learnt many boards."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import Position
from mijnlieff.policies import MCTSPolicy, NetworkPolicy
from mijnlieff.train.config import TrainConfig
from mijnlieff.train.network import TrainableNetwork
from mijnlieff.train.network.function import PLAY_BATCH, NetworkFunction
from mijnlieff.train.play.policy import evaluator

__all__ = ["CanvasPolicy", "CanvasSearch"]


class CanvasPolicy(NetworkPolicy):
    """A network that plays on every board that fits its canvas, with its number of copies.

    Positions may be on several boards.
    """

    def __init__(self, network: TrainableNetwork, temperature: float = 0.0) -> None:
        """Keep a reference to the network, so later training changes how this plays.

        Args:
            network: the network.
            temperature: see `NetworkPolicy`.
        """
        function = NetworkFunction(network)
        super().__init__(
            function, "planes", temperature, batch_size=PLAY_BATCH, canvas=network.canvas
        )
        self._network = network

    def act_batch(self, positions: Sequence[Position]) -> NDArray[np.int64]:
        """See `NetworkPolicy.act_batch`."""
        _check_game(positions, self._network)
        return super().act_batch(positions)

    def action_probabilities(self, positions: Sequence[Position]) -> NDArray[np.float64]:
        """See `NetworkPolicy.action_probabilities`."""
        _check_game(positions, self._network)
        return super().action_probabilities(positions)


class CanvasSearch(MCTSPolicy):
    """A tree search by a network that has learnt many boards, with a Gumbel root without noise.

    Positions may be on several boards.
    """

    def __init__(
        self,
        network: TrainableNetwork,
        num_simulations: int,
        config: TrainConfig,
        *,
        solve_below: int,
        seed: int = 0,
    ) -> None:
        """Keep a copy of the network; later training does not change how this plays.

        Args:
            network: the network.
            num_simulations: of each search.
            config: the settings of the network's run.
            solve_below: the most empty cells of a position that is solved exactly.
            seed: of the searches.
        """
        super().__init__(
            num_simulations,
            evaluator(network, config.margin_weight),
            root="gumbel",
            seed=seed,
            margin_weight=config.margin_weight,
            solve_below=solve_below,
            num_threads=1,
            canvas=network.canvas,
        )
        self._network = network

    def act_batch(self, positions: Sequence[Position]) -> NDArray[np.int64]:
        """See `MCTSPolicy.act_batch`."""
        _check_game(positions, self._network)
        return super().act_batch(positions)


def _check_game(positions: Sequence[Position], network: TrainableNetwork) -> None:
    """Raise for a board that does not fit the network's canvas, or another number of copies."""
    for variant in {position.variant for position in positions}:
        network.check_variant(variant)
