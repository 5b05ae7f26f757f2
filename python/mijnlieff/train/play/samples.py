"""What a round of self-play with tree search gives to the learner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["Samples", "SearchGames"]


@dataclass(frozen=True, slots=True)
class Samples:
    """Positions with their policies and results, one per row, padded to the same size.

    Attributes:
        boards: int64 `(B,)`, the number of the board.
        observations: uint8 `(B, num_features)` of `SymmetricBoards`, hands as counts.
        masks: int8 `(B, num_actions)` of `SymmetricBoards`, 1 where legal.
        policies: float16 `(B, num_actions)`, the policy to learn.
        values: float32 `(B, 2)`, outcome and margin in points to learn, for the side to move.
        regrets: uint8 `(B, num_actions)`, see `regrets_of`.
    """

    boards: NDArray[np.int64]
    observations: NDArray[Any]
    masks: NDArray[Any]
    policies: NDArray[Any]
    values: NDArray[np.float32]
    regrets: NDArray[Any]

    def __len__(self) -> int:
        """The number of positions."""
        return len(self.boards)


@dataclass(frozen=True, slots=True)
class SearchGames:
    """The games of one round.

    Attributes:
        samples: the positions in which an action was chosen, by a search or by the solver.
        steps: actions played, including random openings and forced passes.
        games: games finished.
        simulations: simulations of all searches.
        evaluations: positions that the network evaluated.
        solved: positions in which the solver chose.
        seconds: wall time.
    """

    samples: Samples
    steps: int
    games: int
    simulations: int
    evaluations: int
    solved: int
    seconds: float
