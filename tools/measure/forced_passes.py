"""How many times in a row a player can be forced to pass: in random games, and at most.

Whether a stone leaves the opponent without a move depends only on its type, its cell and the taken
cells, not on the owners or types of the other stones. So a small table over sets of taken cells and
hands bounds the length of every row of passes, and a search of the games that the bound does not
exclude decides whether a row of a given length can happen.
"""

from __future__ import annotations

from itertools import product

import numpy as np
from numpy.typing import NDArray

from mijnlieff import Position, Variant, VectorEnv
from tools.players import PIECES

__all__ = ["Rows", "random_rows"]

CELLS = 16
PASS = 4 * CELLS
HAND = 8
"""Number of pieces that each player starts with."""
FIRSTS = [cell + sign for cell in ("a1", "b1") for sign in PIECES]
"""The first moves, up to symmetry."""

Hand = tuple[int, ...]


def random_rows(games: int, batch: int = 65_536) -> NDArray[np.int64]:
    """Return how many of some random games have a longest row of 0, 1, ... passes."""
    counts = np.zeros(HAND + 1, dtype=np.int64)
    env = VectorEnv(batch)
    slots = np.arange(batch)
    for start in range(0, games, batch):
        _, info = env.reset(seed=start)
        rows = np.zeros((batch, 2), dtype=np.int64)
        longest = np.zeros(batch, dtype=np.int64)
        # Only the first game of each slot counts, and the last batch may have too many games.
        running = slots < games - start
        while running.any():
            players = info["to_play"].copy()
            actions = env.sample_actions()
            _, _, ended, _, info = env.step(actions)
            row = np.where(actions == PASS, rows[slots, players] + 1, 0)
            rows[slots, players] = row
            longest = np.where(running, np.maximum(longest, row), longest)
            running &= ~ended
        counts += np.bincount(longest[: games - start], minlength=len(counts))
    return counts


class Rows:
    """Rows of passes in the standard game.

    Attributes:
        bound: for each hand of the player who blocks, int8 ``(65536,)`` over the sets of taken
            cells: the most stones in a row that each leave the opponent without a cell.
    """

    def __init__(self) -> None:
        """Compute the bound, from empty hands to full ones."""
        anywhere = Position(Variant(opening="anywhere"))
        moves = [anywhere.play(action).legal_actions() % CELLS for action in range(PASS)]
        self._reach = np.array([int(np.bitwise_or.reduce(1 << cells)) for cells in moves])
        taken = np.arange(1 << CELLS)
        self.bound: dict[Hand, NDArray[np.int8]] = {}
        for hand in sorted(product(range(3), repeat=4), key=sum):
            best = np.zeros(len(taken), dtype=np.int8)
            for action in range(PASS):
                piece, cell = divmod(action, CELLS)
                if hand[piece]:
                    rest = self.bound[(*hand[:piece], hand[piece] - 1, *hand[piece + 1 :])]
                    free = taken >> cell & 1 == 0
                    after = taken[free] | 1 << cell
                    blocks = self._reach[action] & ~after == 0
                    best[free] = np.maximum(best[free], np.where(blocks, 1 + rest[after], 0))
            self.bound[hand] = best

    def longest(self) -> tuple[int, list[int]]:
        """Return the length of the longest row in any game, and a game with such a row."""
        firsts = [Variant().action_index(name) for name in FIRSTS]
        for length in range(HAND, 0, -1):
            for player, first in product((1, 0), firsts):
                game = self._search([first], Position().play(first), player, length)
                if game is not None:
                    return length, game
        return 0, []

    def _search(
        self, game: list[int], position: Position, player: int, length: int
    ) -> list[int] | None:
        """Return how a game goes on if `player` can force `length` passes in a row, or None.

        The row has not begun. It takes `length` pieces, so the player must keep that many.
        """
        if position.is_over:
            return None
        actions = position.legal_actions().tolist()
        hand: Hand = tuple(position.hands[player].tolist())
        taken = _taken(position)
        spare = sum(hand) > length
        if actions == [PASS]:
            pass
        elif position.to_play == player:
            if self.bound[hand][taken] >= length:
                row = self._row(position, player, length)
                if row is not None:
                    return game + row
            actions = actions if spare else []
        elif not spare:
            # Either the row can begin in the next turn, or this action must force a pass.
            possible = self.bound[hand] >= length
            actions = [
                action
                for action in actions
                if self._blocks(taken, action) or possible[taken | 1 << action % CELLS]
            ]
        for action in actions:
            found = self._search([*game, action], position.play(action), player, length)
            if found is not None:
                return found
        return None

    def _row(self, position: Position, player: int, length: int) -> list[int] | None:
        """Return actions that force the opponent to pass this many times in a row from now on."""
        if length == 0:
            return []
        taken = _taken(position)
        for action in position.legal_actions().tolist():
            if action == PASS or not self._blocks(taken, action):
                continue
            blocked = position.play(action)
            hand: Hand = tuple(blocked.hands[player].tolist())
            if blocked.is_over or self.bound[hand][_taken(blocked)] < length - 1:
                continue
            after = blocked.play(PASS)
            if after.is_over and length > 1:
                continue
            row = self._row(after, player, length - 1)
            if row is not None:
                return [action, PASS, *row]
        return None

    def _blocks(self, taken: int, action: int) -> bool:
        """Return whether a stone leaves the opponent without a cell."""
        return not self._reach[action] & ~(taken | 1 << action % CELLS)


def _taken(position: Position) -> int:
    """Return the taken cells as a bit set."""
    return int(np.bitwise_or.reduce(1 << np.flatnonzero(position.stones)))
