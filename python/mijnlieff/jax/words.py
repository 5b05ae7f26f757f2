"""Sets of cells as words of 32 bits, one word on boards of up to 32 cells and two on larger ones.

JAX has no 64-bit integers unless they are enabled. A set is a tuple of uint32 scalars, so that
every operation on a batch of games runs over plain vectors. The length of the tuple is known when a
function is traced.
"""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import TYPE_CHECKING, TypeAlias

import jax.numpy as jnp
import numpy as np

from mijnlieff.jax.frameworks import jax

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = [
    "Words",
    "bits_at",
    "cells_of",
    "count",
    "is_empty",
    "set_of_cell",
    "shift_down",
    "words_of",
]

BITS = 32

Words: TypeAlias = tuple[jax.Array, ...]


def words_of(cells: NDArray[np.bool_]) -> NDArray[np.uint32]:
    """Return the words of sets given by cell, bool ``(..., num_cells)``, as ``(..., words)``."""
    num_cells = cells.shape[-1]
    padding = [(0, 0)] * (cells.ndim - 1) + [(0, -num_cells % BITS)]
    groups = np.pad(cells, padding).reshape(*cells.shape[:-1], -1, BITS).astype(np.uint32)
    words: NDArray[np.uint32] = (groups << np.arange(BITS, dtype=np.uint32)).sum(-1, np.uint32)
    return words


def cells_of(words: NDArray[np.uint32], num_cells: int) -> NDArray[np.bool_]:
    """Return the sets of words ``(..., words)`` by cell, bool ``(..., num_cells)``."""
    cells = np.arange(num_cells, dtype=np.uint32)
    return np.asarray(words[..., cells // BITS] >> cells % BITS & 1, bool)


def set_of_cell(cell: jax.Array, num_words: int) -> Words:
    """Return the set of one cell; the empty set where `cell` is not a cell, such as -1."""
    shift = (cell % BITS).astype(jnp.uint32)
    return tuple(
        jnp.where(cell // BITS == number, jnp.uint32(1) << shift, jnp.uint32(0))
        for number in range(num_words)
    )


def shift_down(words: Words, distance: int) -> Words:
    """Return the set with every cell's number lowered by `distance`; cells below 0 are dropped."""
    skipped, rest = divmod(distance, BITS)
    shifted = []
    for number in range(skipped, skipped + len(words)):
        low = words[number] if number < len(words) else jnp.uint32(0)
        high = words[number + 1] if number + 1 < len(words) else None
        word = low >> np.uint32(rest)
        if rest and high is not None:
            word = word | high << np.uint32(BITS - rest)
        shifted.append(word)
    return tuple(shifted)


def is_empty(words: Words) -> jax.Array:
    """Return whether a set has no cells."""
    return reduce(or_, words) == 0


def count(words: Words) -> jax.Array:
    """Return the number of cells of a set, int32."""
    return sum((jax.lax.population_count(word).astype(jnp.int32) for word in words), jnp.int32(0))


def bits_at(words: Words, cells: NDArray[np.integer]) -> jax.Array:
    """Return for each of these cells, an array of any shape, whether it is in the set: 0 or 1."""
    shift = (cells % BITS).astype(np.uint32)
    chosen = words[0]
    for number in range(1, len(words)):
        chosen = jnp.where(cells // BITS == number, words[number], chosen)
    return chosen >> shift & np.uint32(1)
