"""Players whose actions are plain to see, and that keep what they were asked."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mijnlieff import Position


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
