"""The rules as pure functions of one game; `jax.vmap` makes them those of many."""

from __future__ import annotations

from typing import NamedTuple

import jax.numpy as jnp
import numpy as np

from mijnlieff.jax.frameworks import jax
from mijnlieff.jax.tables import Tables
from mijnlieff.jax.words import (
    Words,
    bits_at,
    count,
    is_empty,
    set_of_cell,
    shift_down,
)

__all__ = ["HAND_BITS", "GameState", "choose", "hands", "legal_mask", "points", "start", "step"]

HAND_BITS = 8
_HAND_SHIFTS = np.arange(4, dtype=np.uint32) * HAND_BITS


class GameState(NamedTuple):
    """A position, seen by the side to move. Sets of cells are words.

    A hand is a uint32 with one byte for each type, the count of Straights in the lowest. Stones
    with an odd piece index are in `low`, those with a piece index of 2 or 3 in `high`; they are
    kept for people, as the rules never read them again.

    Attributes:
        own: stones of the side to move.
        other: stones of the opponent.
        low: low bits of the piece indices of all stones.
        high: high bits of them.
        allowed: empty cells that the last turn allows; none when the game is over.
        own_hand: pieces left to the side to move.
        other_hand: pieces left to the opponent.
        last: int32, the last action; -1 at the start.
        turns: int32, actions so far; Light moves when it is even.
    """

    own: Words
    other: Words
    low: Words
    high: Words
    allowed: Words
    own_hand: jax.Array
    other_hand: jax.Array
    last: jax.Array
    turns: jax.Array


def start(tables: Tables) -> GameState:
    """Return the start of a game."""
    nothing = tuple(jnp.uint32(0) for _ in range(tables.num_words))
    hand = jnp.uint32(sum(tables.copies << int(shift) for shift in _HAND_SHIFTS))
    return GameState(
        own=nothing,
        other=nothing,
        low=nothing,
        high=nothing,
        allowed=tuple(jnp.uint32(word) for word in tables.opening),
        own_hand=hand,
        other_hand=hand,
        last=jnp.int32(-1),
        turns=jnp.int32(0),
    )


def step(tables: Tables, game: GameState, action: jax.Array) -> tuple[GameState, jax.Array]:
    """Play a legal action.

    Returns:
        The position after it, and whether the game is over.
    """
    placed = action < 4 * tables.num_cells
    piece = action // tables.num_cells
    cell = jnp.where(placed, action - piece * tables.num_cells, -1)
    stone = set_of_cell(cell, tables.num_words)
    own = tuple(a | b for a, b in zip(game.own, stone, strict=True))
    empty = tuple(
        np.uint32(cells) & ~(a | b)
        for cells, a, b in zip(tables.all_cells, own, game.other, strict=True)
    )
    over = (game.other_hand == 0) | (~placed & is_empty(empty))
    reach = jnp.asarray(tables.reach)[action]
    allowed = tuple(
        jnp.where(over, jnp.uint32(0), reach[number] & word) for number, word in enumerate(empty)
    )
    used = jnp.where(placed, jnp.uint32(1) << (piece * HAND_BITS).astype(jnp.uint32), 0)
    after = GameState(
        own=game.other,
        other=own,
        low=tuple(
            a | jnp.where(piece & 1 != 0, b, 0) for a, b in zip(game.low, stone, strict=True)
        ),
        high=tuple(
            a | jnp.where(piece & 2 != 0, b, 0) for a, b in zip(game.high, stone, strict=True)
        ),
        allowed=allowed,
        own_hand=game.other_hand,
        other_hand=game.own_hand - used,
        last=action,
        turns=game.turns + 1,
    )
    return after, over


def choose(condition: jax.Array, game: GameState, other: GameState) -> GameState:
    """Return one of two positions."""
    chosen: GameState = jax.tree.map(lambda a, b: jnp.where(condition, a, b), game, other)
    return chosen


def points(tables: Tables, stones: Words) -> jax.Array:
    """Return the points of the player with these stones, int32."""
    total = jnp.int32(0)
    for run in tables.runs:
        second, third = shift_down(stones, run.second), shift_down(stones, run.third)
        triples = tuple(
            word & a & b & c for word, a, b, c in zip(run.first, stones, second, third, strict=True)
        )
        total += count(triples)
    return total


def hands(game: GameState) -> jax.Array:
    """Return the own and the opposing hand, int32 ``(8,)``."""
    own, other = (hand >> _HAND_SHIFTS & 0xFF for hand in (game.own_hand, game.other_hand))
    return jnp.concatenate([own, other]).astype(jnp.int32)


def legal_mask(tables: Tables, game: GameState) -> jax.Array:
    """Return the legal actions, bool ``(num_actions,)``; only a pass when the game is over."""
    cells = bits_at(game.allowed, np.arange(tables.num_cells)) != 0
    held = (game.own_hand >> _HAND_SHIFTS & 0xFF) != 0
    if not tables.opening_pieces.all():
        held &= (game.turns > 0) | tables.opening_pieces
    placements = (held[:, None] & cells).reshape(-1)
    return jnp.concatenate([placements, is_empty(game.allowed)[None]])
