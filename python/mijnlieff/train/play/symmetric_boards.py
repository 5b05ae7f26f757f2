"""The boards of a run as a learner sees them, in each of their orientations."""

from __future__ import annotations

from typing import Any, Self

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from mijnlieff._mijnlieff import Canvas, Variant
from mijnlieff.self_play import SelfPlaySamples
from mijnlieff.train.boards import Boards
from mijnlieff.train.network.regrets import regrets_of
from mijnlieff.train.network.symmetry import SymmetryGroup
from mijnlieff.train.play.samples import Samples

__all__ = ["SymmetricBoards"]

_PARTS = 3
"""Planes of cells in a flat observation."""
_HANDS = 8


class SymmetricBoards:
    """Packs the samples of self-play, and turns them into what a network for the boards reads.

    Rows are flat, and padded with zeros to the cells of the largest board. For a single board a
    network reads such rows, in an orientation in which the board lies as before. For several it
    reads planes of a square canvas, in any of the eight orientations of the square.

    Attributes:
        canvas: None for a single board.
        num_features: numbers in a row: own, opposing and allowed cells, and both hands.
        num_actions: actions in a row, the pass last.
    """

    def __init__(self, boards: Boards) -> None:
        """Compute where every number goes.

        Args:
            boards: the boards of the run, of which the seen ones are played.
        """
        self.canvas = boards.canvas
        cells = max(one.board.num_cells for one in boards.seen)
        self.num_features = _PARTS * cells + _HANDS
        self.num_actions = 4 * cells + 1
        if self.canvas is None:
            group = SymmetryGroup.of(boards.seen[0])
            features, actions = group.features[None], group.actions[None]
        else:
            tables = [_tables(one, cells, self.canvas) for one in boards.seen]
            features, actions = (np.stack(table) for table in zip(*tables, strict=True))
            # By board, where the canvas of a game as it is played has each number of a row.
            self._columns = [
                np.stack([_inverse(turned[0], size) for turned in table])
                for table, size in ((features, self.num_features), (actions, self.num_actions))
            ]
        # By board and orientation, the source of every number that the network reads. Behind a row
        # there are a zero and a one.
        self._features = torch.from_numpy(features.astype(np.int32))
        self._actions = torch.from_numpy(actions.astype(np.int32))

    def to(self, device: torch.device) -> Self:
        """Move the tables of the orientations to a device; returns itself."""
        self._features, self._actions = self._features.to(device), self._actions.to(device)
        return self

    def pack(self, played: SelfPlaySamples, values: NDArray[np.float32]) -> Samples:
        """The samples of self-play on the boards, as rows.

        Args:
            played: flat for a single board, else planes of the canvas; hands as counts.
            values: outcomes and margins to learn, float32 `(B, 2)`.
        """
        observations, masks = played.observations, played.action_masks
        policies = played.policy_targets.astype(np.float16)
        regrets = regrets_of(played.action_margins)
        if self.canvas is not None:
            features, actions = (column[played.variants] for column in self._columns)
            observations = _taken(observations.reshape(len(played), -1), features)
            masks, policies = _taken(masks, actions), _taken(policies, actions)
            regrets = _taken(regrets, actions)
        return Samples(played.variants, observations, masks, policies, values, regrets)

    def draw_orientations(self, count: int, generator: torch.Generator) -> Tensor:
        """Draw the number of an orientation for each of so many rows, int64 `(count,)`."""
        return torch.randint(self._features.shape[1], (count,), generator=generator)

    def observations(self, boards: Tensor, orientations: Tensor, rows: Tensor) -> Tensor:
        """Observations as the network reads them.

        Args:
            boards: int64 `(B,)`, the number of the board.
            orientations: int64 `(B,)`.
            rows: uint8 `(B, num_features)`, hands as counts.

        Returns:
            uint8, hands as counts: `(B, num_features)`, or on a canvas `(B, 12, H, W)`.
        """
        ends = rows.new_tensor([0, 1]).expand(len(rows), 2)
        sources = self._features[boards, orientations].long()
        found = torch.cat([rows, ends], dim=1).gather(1, sources)
        if self.canvas is None:
            return found
        return found.view(len(rows), 12, self.canvas.height, self.canvas.width)

    def actions(self, boards: Tensor, orientations: Tensor, rows: Tensor) -> Tensor:
        """Numbers for each action, such as a mask, as the network gives them.

        Args:
            boards: int64 `(B,)`, the number of the board.
            orientations: int64 `(B,)`.
            rows: `(B, num_actions)`.

        Returns:
            `(B, num_actions)`, or on a canvas as many as it has, 0 where there is no cell.
        """
        sources = self._actions[boards, orientations].long()
        return torch.nn.functional.pad(rows, (0, 1)).gather(1, sources)


def _tables(
    variant: Variant, cells: int, canvas: Canvas
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """By orientation, the places in a padded row of what lies on the canvas."""
    zero, one = _PARTS * cells + _HANDS, _PARTS * cells + _HANDS + 1
    own = np.array(variant.board.cells)
    numbers, area = np.arange(len(own)), canvas.height * canvas.width
    features = np.full((8, 4 + _HANDS, area), zero)
    actions = np.full((8, 4 * area + 1), 4 * cells + 1)
    for orientation in range(8):
        moved = own[:, ::-1] if orientation & 1 else own
        moved = moved * (-1 if orientation & 2 else 1, -1 if orientation & 4 else 1)
        moved = moved - moved.min(axis=0)
        slots = moved[:, 1] * canvas.width + moved[:, 0]
        for part in range(_PARTS):
            features[orientation, part, slots] = part * cells + numbers
        features[orientation, 3, slots] = one
        for piece in range(4):
            actions[orientation, piece * area + slots] = piece * cells + numbers
    features[:, 4:] = _PARTS * cells + np.arange(_HANDS)[:, None]
    actions[:, -1] = 4 * cells
    return features.reshape(8, -1), actions


def _inverse(sources: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """The first place on the canvas of each number of a padded row; behind the last is a zero."""
    places = np.full(size + 2, len(sources))
    numbers, first = np.unique(sources, return_index=True)
    places[numbers] = first
    return places[:size]


def _taken(rows: NDArray[Any], columns: NDArray[np.int64]) -> NDArray[Any]:
    """The numbers of each row in its own columns, the last of which stands for a zero."""
    found: NDArray[Any] = np.take_along_axis(np.pad(rows, ((0, 0), (0, 1))), columns, axis=1)
    return found
