"""The rules as pure functions of one game; `jax.vmap` makes them those of many.

A set of cells is a tuple of uint32 scalars (see `mijnlieff.jax.tables`), so that every operation on
a batch of games runs over plain vectors. The length of the tuple is known when a function is
traced.
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import jax
import jax.numpy as jnp
import numpy as np

from mijnlieff.jax.tables import WORD_BITS, Tables

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "HAND_BITS",
    "GameState",
    "choose",
    "flat",
    "legal_mask",
    "planes",
    "points",
    "start",
    "step",
]

Words: TypeAlias = tuple[jax.Array, ...]

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
        plies: int32, actions so far; Light moves when it is even.
    """

    own: Words
    other: Words
    low: Words
    high: Words
    allowed: Words
    own_hand: jax.Array
    other_hand: jax.Array
    last: jax.Array
    plies: jax.Array


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
        plies=jnp.int32(0),
    )


def step(tables: Tables, game: GameState, action: jax.Array) -> tuple[GameState, jax.Array]:
    """Play a legal action.

    Returns:
        The position after it, and whether the game is over.
    """
    placed = action < 4 * tables.num_cells
    piece = action // tables.num_cells
    cell = jnp.where(placed, action - piece * tables.num_cells, -1)
    stone = _set_of_cell(cell, tables.num_words)
    own = tuple(a | b for a, b in zip(game.own, stone, strict=True))
    empty = tuple(
        np.uint32(cells) & ~(a | b)
        for cells, a, b in zip(tables.all_cells, own, game.other, strict=True)
    )
    over = (game.other_hand == 0) | (~placed & _is_empty(empty))
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
        plies=game.plies + 1,
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
        second, third = _shift_down(stones, run.second), _shift_down(stones, run.third)
        triples = tuple(
            word & a & b & c for word, a, b, c in zip(run.first, stones, second, third, strict=True)
        )
        total += _count(triples)
    return total


def _hands(game: GameState) -> jax.Array:
    """Return the own and the opposing hand, int32 ``(8,)``."""
    own, other = (hand >> _HAND_SHIFTS & 0xFF for hand in (game.own_hand, game.other_hand))
    return jnp.concatenate([own, other]).astype(jnp.int32)


def legal_mask(tables: Tables, game: GameState) -> jax.Array:
    """Return the legal actions, bool ``(num_actions,)``; only a pass when the game is over."""
    cells = _bits_at(game.allowed, np.arange(tables.num_cells)) != 0
    held = (game.own_hand >> _HAND_SHIFTS & 0xFF) != 0
    if not tables.opening_pieces.all():
        held &= (game.plies > 0) | tables.opening_pieces
    placements = (held[:, None] & cells).reshape(-1)
    return jnp.concatenate([placements, _is_empty(game.allowed)[None]])


def _view(game: GameState, on_turn: jax.Array) -> tuple[list[tuple[jax.Array, ...]], jax.Array]:
    """Return own stones, opposing stones, allowed cells, and own and opposing hand ``(8,)``."""
    sets = [
        tuple(jnp.where(on_turn, a, b) for a, b in zip(*pair, strict=True))
        for pair in ((game.own, game.other), (game.other, game.own))
    ]
    sets.append(tuple(jnp.where(on_turn, word, jnp.uint32(0)) for word in game.allowed))
    counts = _hands(game)
    return sets, jnp.where(on_turn, counts, jnp.roll(counts, 4))


def _shares(counts: jax.Array, tables: Tables, dtype: np.dtype[Any]) -> jax.Array:
    """Return counts of pieces as observations have them: shares of the copies, or counts."""
    if dtype.kind != "f":
        return counts.astype(dtype)
    # XLA multiplies by the reciprocal instead of dividing, which rounds differently.
    shares = np.arange(tables.copies + 1, dtype=dtype) / dtype.type(tables.copies)
    return jnp.asarray(shares)[counts]


def flat(tables: Tables, game: GameState, on_turn: jax.Array, dtype: np.dtype[Any]) -> jax.Array:
    """Return the flat observation, ``(3 * num_cells + 8,)``."""
    sets, counts = _view(game, on_turn)
    cells = np.arange(tables.num_cells)
    parts = [_bits_at(words, cells).astype(dtype) for words in sets]
    return jnp.concatenate([*parts, _shares(counts, tables, dtype)])


def planes(tables: Tables, game: GameState, on_turn: jax.Array, dtype: np.dtype[Any]) -> jax.Array:
    """Return the planes as the last axis, ``(height, width, 12)``."""
    sets, counts = _view(game, on_turn)
    sets.append(tuple(jnp.uint32(word) for word in tables.all_cells))
    # All four sets at once: planes written one by one take twice as long.
    stacked = tuple(jnp.stack(words) for words in zip(*sets, strict=True))
    exists = tables.grid[:, :, None] >= 0
    bits = _bits_at(stacked, np.where(exists, tables.grid[:, :, None], 0))
    if not exists.all():
        bits &= exists.astype(np.uint32)
    shares = jnp.broadcast_to(_shares(counts, tables, dtype), (*tables.grid.shape, 8))
    return jnp.concatenate([bits.astype(dtype), shares], axis=-1)


def _set_of_cell(cell: jax.Array, num_words: int) -> Words:
    """Return the set of one cell; the empty set where `cell` is not a cell, such as -1."""
    shift = (cell % WORD_BITS).astype(jnp.uint32)
    return tuple(
        jnp.where(cell // WORD_BITS == number, jnp.uint32(1) << shift, jnp.uint32(0))
        for number in range(num_words)
    )


def _shift_down(words: Words, distance: int) -> Words:
    """Return the set with every cell's number lowered by `distance`; cells below 0 are dropped."""
    skipped, rest = divmod(distance, WORD_BITS)
    shifted = []
    for number in range(skipped, skipped + len(words)):
        low = words[number] if number < len(words) else jnp.uint32(0)
        high = words[number + 1] if number + 1 < len(words) else None
        word = low >> np.uint32(rest)
        if rest and high is not None:
            word = word | high << np.uint32(WORD_BITS - rest)
        shifted.append(word)
    return tuple(shifted)


def _is_empty(words: Words) -> jax.Array:
    """Return whether a set has no cells."""
    return reduce(or_, words) == 0


def _count(words: Words) -> jax.Array:
    """Return the number of cells of a set, int32."""
    return sum((jax.lax.population_count(word).astype(jnp.int32) for word in words), jnp.int32(0))


def _bits_at(words: Words, cells: NDArray[np.integer]) -> jax.Array:
    """Return for each of these cells, an array of any shape, whether it is in the set: 0 or 1."""
    shift = (cells % WORD_BITS).astype(np.uint32)
    chosen = words[0]
    for number in range(1, len(words)):
        chosen = jnp.where(cells // WORD_BITS == number, words[number], chosen)
    return chosen >> shift & np.uint32(1)
