"""Keys of positions that symmetries of the board make equal."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import Board, Position, observe_batch

__all__ = ["canonical_keys", "keys_of_observations"]


def canonical_keys(positions: Sequence[Position]) -> list[bytes]:
    """Return a key for each position of a variant; positions that a symmetry maps share theirs.

    The side to move is not part of it, since observations are those of the side to move.
    """
    if not positions:
        return []
    observations = observe_batch(list(positions), "flat", "uint8")
    return keys_of_observations(observations, positions[0].variant.board)


def keys_of_observations(observations: NDArray[np.uint8], board: Board) -> list[bytes]:
    """Return the keys of positions of which only the observations are known.

    Args:
        observations: uint8 ``(B, 3 * num_cells + 8)``, flat.
        board: their board.
    """
    cells = observations[:, : 3 * board.num_cells].reshape(len(observations), 3, -1)
    hands = observations[:, 3 * board.num_cells :]
    keys = []
    for symmetry in board.symmetries:
        mapped = np.empty_like(cells)
        mapped[:, :, symmetry] = cells
        keys.append(np.concatenate([mapped.reshape(len(observations), -1), hands], axis=1))
    return [min(key[i].tobytes() for key in keys) for i in range(len(observations))]
