"""Distinct positions with a choice, drawn from games of a policy."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from mijnlieff._mijnlieff import (
    SEEDS,
    MinimaxPolicy,
    Position,
    RandomPolicy,
    Variant,
    random_openings,
)
from mijnlieff.evaluation.canonical import canonical_keys
from mijnlieff.policies.base import Policy, act_checked
from mijnlieff.solving import EXACT_CELLS

__all__ = ["PLAYERS", "Decisions", "solvable_decisions"]

PLAYERS: Mapping[str, Callable[[int], Policy]] = {
    "random play": RandomPolicy,
    "minimax 2": lambda seed: MinimaxPolicy(2, seed),
}
"""Players whose games positions are drawn from, by the name of the source; each takes a seed."""

_DEPTHS = 8
"""Games start after fewer random plies than this."""
_MOST_OPENINGS = 1 << 16
"""Openings of each length that are drawn at once."""
_MAX_MISSES = 8
"""After this many rounds without a new position, drawing stops."""
_MOST_EMPTY = 14
"""Positions of more empty cells take up to seconds each; on large boards they take longer."""
_MOST_EMPTY_LARGE = 12
_ROUNDS = 4


class Decisions:
    """Positions with two or more legal actions, each from a different game of a policy.

    Games start after 0 to 7 random plies, as many games after each number, and the policy plays
    both sides. No two games start alike, and no two positions are equal, up to symmetries of the
    board.

    Attributes:
        repeats: games and positions left out because they were equal to earlier ones.
    """

    def __init__(
        self,
        player: Policy,
        seed: Sequence[int],
        variant: Variant | None = None,
        share: tuple[int, int] = (0, 1),
    ) -> None:
        """Prepare to draw.

        Args:
            player: the policy.
            seed: numbers that seed the openings and the draw of one position from each game.
            variant: the variant to play; None is the standard game.
            share: ``(k, n)`` to use the `k`-th of `n` parts of the openings, so that the games of
                different parts start differently.
        """
        self.repeats = 0
        self._player = player
        self._rng = np.random.default_rng(list(seed))
        self._variant = variant
        self._depths = _DEPTHS
        self._number, self._shares = share
        self._taken: set[bytes] = set()
        self._openings: set[bytes] = set()

    def draw(self, count: int) -> list[Position]:
        """Return new positions: `count`, or fewer if several rounds of games gave none.

        Raises:
            PolicyError: the policy chose an illegal action.
        """
        found: list[Position] = []
        misses = 0
        while len(found) < count and misses < _MAX_MISSES:
            games = self._new(self._start(count - len(found)), self._openings)
            drawn = self._new(_draw(games, self._player, self._rng), self._taken)
            misses = 0 if drawn else misses + 1
            found += drawn
            if not found and self._depths > 1:
                self._depths -= 1  # games of small boards may be decided in long openings
        return found[:count]

    def _start(self, count: int) -> list[Position]:
        """Return about `count` games after random plies, of this object's share of openings."""
        games: list[Position] = []
        depths = self._depths
        for plies in range(depths):
            # A few games are all long openings, since short ones are soon exhausted.
            share = min((count + plies) // depths * self._shares, _MOST_OPENINGS)
            start = int(self._rng.integers(SEEDS, dtype=np.uint64))
            try:
                games += random_openings(share, plies, self._variant, start)
            except ValueError:  # games of this variant end sooner
                self._depths = plies
                break
        if self._shares == 1:
            return games
        keys = canonical_keys(games)
        return [
            game
            for game, key in zip(games, keys, strict=True)
            if zlib.crc32(key) % self._shares == self._number
        ]

    def _new(self, positions: list[Position], seen: set[bytes]) -> list[Position]:
        """Return the positions that are not among those seen, and add them."""
        new = []
        for position, key in zip(positions, canonical_keys(positions), strict=True):
            if key in seen:
                self.repeats += 1
            else:
                seen.add(key)
                new.append(position)
        return new


def solvable_decisions(
    variant: Variant, count: int, seed: tuple[int, int]
) -> dict[str, list[Position]]:
    """Draw positions of a variant that can be solved in a short time, by the source in `PLAYERS`.

    Args:
        variant: the variant.
        count: how many positions; there are fewer if games have no more.
        seed: two numbers, of which the second is the seed of the players.
    """
    small = variant.board.num_cells <= EXACT_CELLS
    most_empty = _MOST_EMPTY if small else _MOST_EMPTY_LARGE
    found = {}
    for number, (source, player) in enumerate(PLAYERS.items()):
        share = count // 2 + (number < count % 2)
        decisions = Decisions(player(seed[1]), (*seed, number), variant)
        mine: list[Position] = []
        for _ in range(_ROUNDS):
            drawn = decisions.draw(share)
            mine += [one for one in drawn if (one.stones == 0).sum() <= most_empty]
            if len(mine) >= share or not drawn:
                break
        found[source] = mine[:share]
    return found


def _draw(games: list[Position], player: Policy, rng: np.random.Generator) -> list[Position]:
    """Play games to their end, and draw one decision from each game that has any."""
    drawn: list[Position | None] = [None] * len(games)
    met = np.zeros(len(games), dtype=np.int64)
    running = list(range(len(games)))
    while running:
        for i in running:
            if len(games[i].legal_actions()) > 1:
                met[i] += 1
                # Keeping the n-th with probability 1/n draws uniformly (reservoir sampling).
                if rng.integers(met[i]) == 0:
                    drawn[i] = games[i]
        actions = act_checked(player, [games[i] for i in running])
        for i, action in zip(running, actions, strict=True):
            games[i] = games[i].play(action)
        running = [i for i in running if not games[i].is_over]
    return [position for position in drawn if position is not None]
