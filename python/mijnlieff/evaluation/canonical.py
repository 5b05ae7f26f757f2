"""Keys of positions that symmetries of the board make equal."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import Board, Position, observe_batch
from mijnlieff._util.arguments import check_type

__all__ = ["canonical_keys", "keys_of_observations"]


def canonical_keys(positions: Sequence[Position]) -> list[bytes]:
    """Return a key for each position of a variant, the same for the turns and reflections of one.

    The side to move is not part of it, since observations are those of the side to move.
    """
    if not positions:
        return []
    observations = observe_batch(list(positions), "flat", "uint8")
    return keys_of_observations(observations, positions[0].variant.board)


def keys_of_observations(observations: NDArray[np.uint8], board: Board) -> list[bytes]:
    """Return a key for each observation, the same for the turns and reflections of a position.

    The exact values of positions that share a key are the same but for the order of the actions.

    Args:
        observations: uint8 ``(B, 3 * num_cells + 8)``, flat, as in a data set.
        board: their board.

    Raises:
        ValueError: another shape.
        TypeError: another dtype, or not a `Board`.
    """
    check_type("observations", observations, np.ndarray)
    check_type("board", board, Board)
    if observations.dtype != np.uint8:
        raise TypeError(f"observations must be uint8, not {observations.dtype}")
    of_cells = 3 * board.num_cells
    width = of_cells + 8
    if observations.ndim != 2 or observations.shape[1] != width:
        raise ValueError(f"observations must be (B, {width}), not {observations.shape}")
    cells = observations[:, :of_cells].reshape(-1, 3, board.num_cells)
    hands = observations[:, of_cells:]
    keys = []
    for symmetry in board.symmetries:
        mapped = np.empty_like(cells)
        mapped[:, :, symmetry] = cells
        keys.append(np.concatenate([mapped.reshape(-1, of_cells), hands], axis=1))
    return [min(key[i].tobytes() for key in keys) for i in range(len(observations))]
