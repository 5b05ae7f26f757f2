"""Plays with a network that has learnt many boards."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from mijnlieff import Frame, NetworkPolicy, Position, Variant, observe_batch
from mijnlieff.errors import GameOverError, PolicyError
from mijnlieff.train.config import TrainConfig
from mijnlieff.train.generalist.mixed_search import MixedSearch
from mijnlieff.train.generalist.network import FrameNetwork
from mijnlieff.train.generalist.play import frame_evaluator

__all__ = ["FramePolicy", "FrameSearch", "frame_policy"]


class _Function:
    """A network as a function of NumPy arrays, as `NetworkPolicy` expects it."""

    def __init__(self, network: FrameNetwork) -> None:
        self.network = network

    @torch.no_grad()
    def __call__(
        self, observations: NDArray[np.float32], _masks: NDArray[np.int8]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        numbers = torch.from_numpy(np.ascontiguousarray(observations))
        logits, values = self.network(numbers.to(self.network.device))
        return logits.cpu().numpy(), values[:, 0].cpu().numpy()


class FramePolicy(NetworkPolicy):
    """A network that plays on every board that fits its frame, with its number of copies.

    Positions may be on several boards, except in `action_probabilities`.
    """

    def __init__(self, network: FrameNetwork, temperature: float) -> None:
        """Keep a reference to the network, so later training changes how this plays.

        Args:
            network: the network.
            temperature: see `NetworkPolicy`.
        """
        super().__init__(_Function(network), "planes", temperature, batch_size=512)
        self._network = network
        self._frame = Frame(network.height, network.width)

    def act_batch(self, positions: Sequence[Position]) -> NDArray[np.int64]:
        """See `NetworkPolicy.act_batch`; the positions may be on several boards."""
        actions = np.empty(len(positions), dtype=np.int64)
        for _, rows in by_variant(positions, self._network):
            actions[rows] = super().act_batch([positions[row] for row in rows])
        return actions

    def action_probabilities(self, positions: Sequence[Position]) -> NDArray[np.float64]:
        """See `NetworkPolicy.action_probabilities`."""
        by_variant(positions, self._network)
        return super().action_probabilities(positions)

    def _logits(
        self, batch: Sequence[Position], masks: NDArray[np.int8], start: int
    ) -> NDArray[np.float64]:
        shown = observe_batch(batch, "planes", frame=self._frame)
        logits, _ = self.fn(shown, masks)
        return self._check(logits[:, self._frame.actions(batch[0].variant)], masks, start)


class FrameSearch:
    """A tree search by a network that has learnt many boards; positions may be on several."""

    def __init__(
        self,
        network: FrameNetwork,
        num_simulations: int,
        *,
        margin_weight: float,
        solve_below: int,
        seed: int = 0,
    ) -> None:
        """Keep a copy of the network.

        Args:
            network: the network; later training does not change how this plays.
            num_simulations: of each search.
            margin_weight: share of the margin in a value, as in `TreeSearch`.
            solve_below: the most empty cells of a position that is solved exactly.
            seed: of the searches.
        """
        self.num_simulations = num_simulations
        self._network = network
        self._frame = Frame(network.height, network.width)
        self._evaluate = frame_evaluator(network, margin_weight)
        self._options: dict[str, Any] = {
            "margin_weight": margin_weight,
            "solve_below": solve_below,
        }
        self._seed = seed

    def act(self, position: Position) -> int:
        """Return the action to play; errors as in `act_batch`."""
        return int(self.act_batch([position])[0])

    def act_batch(self, positions: Sequence[Position]) -> NDArray[np.int64]:
        """Return the actions to play, int64 ``(B,)``.

        Raises:
            GameOverError: a game is over; the message says which.
            PolicyError: a board does not fit the frame, or has another number of copies.
        """
        actions = np.empty(len(positions), dtype=np.int64)
        if not actions.size:
            return actions
        groups = by_variant(positions, self._network)
        for number, position in enumerate(positions):
            if position.is_over:
                raise GameOverError(f"position {number}: the game is over")
        search = MixedSearch(
            positions,
            self.num_simulations,
            frame=self._frame,
            seed=self._seed,
            temperature=0.0,
            num_threads=1,
            **self._options,
        )
        while (leaves := search.select()) is not None:
            search.update(*self._evaluate(leaves.observation, leaves.action_mask))
        found = search.actions
        for variant, rows in groups:
            own = {action: number for number, action in enumerate(self._frame.actions(variant))}
            actions[rows] = [own[action] for action in found[rows]]
        return actions


def frame_policy(
    network: FrameNetwork,
    temperature: float = 0.0,
    num_simulations: int = 0,
    config: TrainConfig | None = None,
) -> FramePolicy | FrameSearch:
    """A player by a network.

    Args:
        network: the network.
        temperature: 0 plays the best action; for the network alone.
        num_simulations: of a search; 0 plays the network alone.
        config: the settings of the run, for a search.
    """
    if not num_simulations:
        return FramePolicy(network, temperature)
    settings = config or TrainConfig.of("alphazero", many_boards=True)
    return FrameSearch(
        network,
        num_simulations,
        margin_weight=settings.margin_weight,
        solve_below=settings.solve_leaves_below,
    )


def by_variant(
    positions: Sequence[Position], network: FrameNetwork
) -> list[tuple[Variant, list[int]]]:
    """The numbers of the positions of each variant.

    Raises:
        PolicyError: a board does not fit the network's frame, or has another number of copies.
    """
    groups: dict[Variant, list[int]] = {}
    for number, position in enumerate(positions):
        groups.setdefault(position.variant, []).append(number)
    for variant in groups:
        board = variant.board
        if board.height > network.height or board.width > network.width:
            raise PolicyError(
                f"the network was trained on a frame of {network.height} x {network.width} slots, "
                f"in which a board of {board.height} x {board.width} does not fit"
            )
        if variant.copies != network.copies:
            raise PolicyError(
                f"the network was trained with {network.copies} copies and cannot play {variant!r}"
            )
    return list(groups.items())
