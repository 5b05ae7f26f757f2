"""Observations: what one player sees of a position."""

from __future__ import annotations

from typing import Any

import jax.numpy as jnp
import numpy as np

from mijnlieff.jax.frameworks import jax
from mijnlieff.jax.game import GameState, hands
from mijnlieff.jax.tables import Tables
from mijnlieff.jax.words import bits_at

__all__ = ["flat", "planes"]


def _view(game: GameState, on_turn: jax.Array) -> tuple[list[tuple[jax.Array, ...]], jax.Array]:
    """Return own stones, opposing stones, allowed cells, and own and opposing hand ``(8,)``."""
    sets = [
        tuple(jnp.where(on_turn, a, b) for a, b in zip(*pair, strict=True))
        for pair in ((game.own, game.other), (game.other, game.own))
    ]
    sets.append(tuple(jnp.where(on_turn, word, jnp.uint32(0)) for word in game.allowed))
    counts = hands(game)
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
    parts = [bits_at(words, cells).astype(dtype) for words in sets]
    return jnp.concatenate([*parts, _shares(counts, tables, dtype)])


def planes(tables: Tables, game: GameState, on_turn: jax.Array, dtype: np.dtype[Any]) -> jax.Array:
    """Return the planes as the last axis, ``(height, width, 12)``."""
    sets, counts = _view(game, on_turn)
    sets.append(tuple(jnp.uint32(word) for word in tables.all_cells))
    # All four sets at once: planes written one by one take twice as long.
    stacked = tuple(jnp.stack(words) for words in zip(*sets, strict=True))
    exists = tables.grid[:, :, None] >= 0
    bits = bits_at(stacked, np.where(exists, tables.grid[:, :, None], 0))
    if not exists.all():
        bits &= exists.astype(np.uint32)
    shares = jnp.broadcast_to(_shares(counts, tables, dtype), (*tables.grid.shape, 8))
    return jnp.concatenate([bits.astype(dtype), shares], axis=-1)
