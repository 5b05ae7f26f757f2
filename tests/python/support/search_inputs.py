"""Positions and networks to search with."""

from __future__ import annotations

from zlib import crc32

import numpy as np

from mijnlieff import Position, Variant
from played import open_games, playable
from search_reference import must_pass


def positions_of(variant: Variant, count: int, seed: int = 0) -> list[Position]:
    """Unfinished positions of random games, one of each game; forced passes are among them."""
    generator = np.random.default_rng(seed)
    return [game[generator.integers(len(game))] for game in open_games(variant, count, seed)]


def phases_of(variant: Variant, games: int, seed: int = 0) -> list[Position]:
    """Positions from all phases of random games.

    They are the start; an early, a middle and a late position of each game; and, as far as they
    are met, as many forced passes and as many positions with one placement as there are games.
    """
    played = open_games(variant, games, seed)
    generator = np.random.default_rng(seed)
    found = [Position(variant)]
    for game in played:
        thirds = np.array_split(np.arange(len(game)), 3)
        found += [game[int(generator.choice(third))] for third in thirds if len(third)]
    everywhere = playable(variant, 10 * games, seed + 1)
    single = [position for position in everywhere if len(position.legal_actions()) == 1]
    found += [position for position in single if must_pass(position)][:games]
    found += [position for position in single if not must_pass(position)][:games]
    return found


class NoisyNetwork:
    """Arbitrary logits and values, the same ones for the same position.

    Args:
        variant: of the positions.
        spread: standard deviation of the logits; with 0 they are equal.
        steps: values are rounded to as many steps between 0 and 1, so that many are equal.
        impossible: share of the actions whose logit is minus infinity, but never of all.
    """

    def __init__(
        self,
        variant: Variant,
        *,
        spread: float = 1.0,
        steps: int | None = None,
        impossible: float = 0.0,
    ) -> None:
        self.variant = variant
        self.spread = spread
        self.steps = steps
        self.impossible = impossible
        self.batches = 0
        self.rows = 0
        self._known: dict[bytes, tuple[np.ndarray, float]] = {}

    def of(self, position: Position) -> tuple[np.ndarray, float]:
        """Evaluate one position: logits `(num_actions,)` and the value."""
        return self._output(position.observation("flat", dtype="uint8"), position.action_mask())

    def __call__(
        self, observations: np.ndarray, masks: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Evaluate the leaves of a search: logits `(B, num_actions)` and values `(B,)`."""
        assert observations.dtype == np.float32
        assert masks.shape == (len(observations), self.variant.num_actions)
        assert masks.any(axis=1).all()
        self.batches += 1
        self.rows += len(observations)
        counts = observations.copy()
        counts[:, -8:] *= self.variant.copies
        outputs = map(self._output, np.rint(counts).astype(np.uint8), masks)
        logits, values = zip(*outputs, strict=True)
        return np.stack(logits), np.array(values, np.float32)

    def _output(self, counts: np.ndarray, mask: np.ndarray) -> tuple[np.ndarray, float]:
        key = counts.tobytes()
        if key not in self._known:
            self._known[key] = self._made_up(np.random.default_rng(crc32(key)), mask)
        return self._known[key]

    def _made_up(
        self, generator: np.random.Generator, mask: np.ndarray
    ) -> tuple[np.ndarray, float]:
        logits = np.float32(self.spread * generator.normal(size=mask.shape))
        possible = generator.random(mask.shape) >= self.impossible
        possible[generator.choice(np.flatnonzero(mask))] = True
        logits[~possible] = -np.inf
        value = np.tanh(generator.normal())
        if self.steps:
            value = np.round(value * self.steps) / self.steps
        return logits, float(np.float32(value))


def noise_of(search: object, tree: int, position: Position) -> dict[int, float]:
    """The noise that a search has added at a root, by action."""
    noise = search.root_noise[tree]
    return {action: float(noise[action]) for action in position.legal_actions().tolist()}


def dense(numbers: dict[int, float], variant: Variant) -> np.ndarray:
    """Numbers by action as an array over all actions."""
    row = np.zeros(variant.num_actions)
    row[list(numbers)] = list(numbers.values())
    return row
