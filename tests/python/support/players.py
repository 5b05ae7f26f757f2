"""Players whose actions are plain to see, some of which keep what they were asked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mijnlieff import Position, solve


class First:
    """Plays the first legal action, and keeps the positions of each call."""

    def __init__(self, **attributes: object) -> None:
        self.asked: list[list[Position]] = []
        vars(self).update(attributes)

    def choose(self, position: Position) -> int:
        return int(position.legal_actions()[0])

    def act(self, position: Position) -> int:
        return int(self.act_batch([position])[0])

    def act_batch(self, positions: Sequence[Position]) -> np.ndarray:
        self.asked.append(list(positions))
        return np.array([self.choose(position) for position in positions])


class Last(First):
    """Plays the last legal action."""

    def choose(self, position: Position) -> int:
        return int(position.legal_actions()[-1])


class PerfectPlayer(First):
    """Plays the last of the best actions."""

    def choose(self, position: Position) -> int:
        return solve(position).best_actions[-1]


def first_legal(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """The first legal action, for `FunctionPolicy`."""
    return masks.argmax(axis=1)


def always_first(observations: np.ndarray, masks: np.ndarray) -> np.ndarray:
    """The first action, legal or not, for `FunctionPolicy`."""
    return np.zeros(len(masks), dtype=np.int64)
