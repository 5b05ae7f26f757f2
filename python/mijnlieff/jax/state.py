"""The state of a game as Pgx has it, and positions as states and back."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal

import jax
import numpy as np
from numpy.typing import NDArray
from pgx import core

# Pgx has no public name for the decorator of its states.
from pgx._src.struct import dataclass, field

from mijnlieff import functional
from mijnlieff._mijnlieff import Position, Variant
from mijnlieff.jax.game import HAND_BITS, GameState
from mijnlieff.jax.tables import cells_of, words_of
from mijnlieff.render.gallery import Gallery
from mijnlieff.render.to_svg import svg

__all__ = ["State", "check_state", "game_of", "to_position", "to_positions"]

_SIZE = 320
_SCALES = 0.1, 25.6  # 32 to 8192 pixels, the sizes of a drawing
_BASE_9 = np.array([1, 9, 81, 729], np.uint64)
_BLOCK_SHIFTS = np.arange(4, dtype=np.uint64) * np.uint64(13)


@dataclass
class State(core.State):
    """The state of one game, or of a batch of games with one more axis in front.

    A state is immutable and a pytree. `Mijnlieff.init` makes it, `to_positions` turns it into
    `mijnlieff.Position` objects.

    Attributes:
        current_player: int32, the Pgx player who acts next. Which of 0 and 1 is Light is drawn by
            `Mijnlieff.init`, and the other is Dark.
        observation: the view of that player, see `Mijnlieff`.
        rewards: float32 ``(2,)``, by Pgx player; 0 unless the last step has ended the game.
        terminated: bool, whether the game is over.
        truncated: bool, always False unless a wrapper sets it.
        legal_action_mask: bool ``(num_actions,)``; all True when the game is over.
    """

    current_player: jax.Array
    observation: jax.Array
    rewards: jax.Array
    terminated: jax.Array
    truncated: jax.Array
    legal_action_mask: jax.Array
    _step_count: jax.Array
    _x: GameState
    _variant: Variant = field(pytree_node=False)

    @property
    def env_id(self) -> Any:
        """The id of the environment, ``"mijnlieff"``."""
        return "mijnlieff"

    def to_svg(
        self, *, color_theme: Literal["light", "dark"] | None = None, scale: float | None = None
    ) -> str:
        """Return the position as an SVG text, or those of a batch side by side.

        The drawing is that of `mijnlieff.Position`, as Pgx draws its own games only.

        Args:
            color_theme: without effect, as the drawing suits light and dark pages.
            scale: 1 draws a board with a longer side of 320 pixels; None is 1.

        Raises:
            ValueError: a scale that is not 0.1 to 25.6, for 32 to 8192 pixels.
        """
        scale = 1.0 if scale is None else scale
        if not _SCALES[0] <= scale <= _SCALES[1]:
            raise ValueError(f"scale must be {_SCALES[0]} to {_SCALES[1]}, not {scale!r}")
        size = round(_SIZE * scale)
        if self.terminated.ndim == 0:
            return svg(to_position(self), size=size)
        return Gallery(to_positions(self), size=size)._repr_svg_()

    def save_svg(
        self,
        filename: Any,
        *,
        color_theme: Literal["light", "dark"] | None = None,
        scale: float | None = None,
    ) -> None:
        """Write the drawing of `to_svg` to a file.

        Raises:
            ValueError: the name does not end with ``.svg``, or a scale as for `to_svg`.
        """
        path = Path(filename)
        if path.suffix != ".svg":
            raise ValueError(f"the name of the file must end with .svg, not {str(filename)!r}")
        path.write_text(self.to_svg(color_theme=color_theme, scale=scale), encoding="utf-8")


def to_position(state: State) -> Position:
    """Return the position of the state of one game.

    If an illegal action ended the game, this is the position in which it was played. A position
    does not tell which Pgx player is Light. Not for use inside `jax.jit`.

    Raises:
        ValueError: the state is a batch.
        TypeError: not a state.
    """
    check_state(state)
    if state.terminated.ndim:
        raise ValueError(
            f"the state is a batch of shape {state.terminated.shape}; use to_positions"
        )
    return to_positions(jax.tree.map(lambda leaf: leaf[None], state))[0]


def to_positions(state: State) -> list[Position]:
    """Return the positions of a batch of states with any number of axes, in row-major order.

    See `to_position`.

    Raises:
        ValueError: the state is of one game.
        TypeError: not a state.
    """
    check_state(state)
    if not state.terminated.ndim:
        raise ValueError("the state is of one game; use to_position")
    game: GameState = jax.tree.map(lambda leaf: np.asarray(leaf).reshape(-1), state._x)
    if not len(game.plies):
        return []
    num_cells = state._variant.board.num_cells
    own, other, low, high = (
        cells_of(np.stack(words, axis=-1), num_cells)
        for words in (game.own, game.other, game.low, game.high)
    )
    light_moves = (game.plies % 2 == 0)[:, None]
    light, dark = np.where(light_moves, own, other), np.where(light_moves, other, own)
    words = _packed(state._variant, light, dark, low, high, game)
    return functional.to_positions(words, state._variant)


def check_state(state: State) -> None:
    """Raise unless this is a state.

    Raises:
        TypeError: it is something else.
    """
    if not isinstance(state, State):
        raise TypeError(f"state must be a mijnlieff.jax.State, not {type(state).__name__}")


def _packed(
    variant: Variant,
    light: NDArray[np.bool_],
    dark: NDArray[np.bool_],
    low: NDArray[np.bool_],
    high: NDArray[np.bool_],
    game: GameState,
) -> NDArray[np.uint64]:
    """Return states of `mijnlieff.functional`, whose documentation has the format."""
    plies, last = np.asarray(game.plies).astype(np.uint64), np.asarray(game.last)
    cell = last % variant.board.num_cells
    last_turn = np.where(last == variant.pass_action, 1, 2 + cell)
    last_turn = np.where(last < 0, 0, last_turn).astype(np.uint64)
    if variant.board.num_cells > 16:
        sets = [_bits(cells) for cells in (light, dark, low, high)]
        return np.stack([*sets, plies | last_turn << np.uint64(8)], axis=-1)
    digits = np.where(light | dark, 1 + 4 * dark + low + 2 * high, 0).astype(np.uint64)
    digits = np.pad(digits, [(0, 0), (0, 16 - digits.shape[1])]).reshape(-1, 4, 4)
    stones: NDArray[np.uint64] = ((digits * _BASE_9).sum(axis=-1) << _BLOCK_SHIFTS).sum(axis=-1)
    return np.asarray(stones | plies << np.uint64(52) | last_turn << np.uint64(58), np.uint64)


def _bits(cells: NDArray[np.bool_]) -> NDArray[np.uint64]:
    """Return sets of cells ``(n, num_cells)`` as uint64 ``(n,)``."""
    weights = np.uint64(1) << np.arange(cells.shape[1], dtype=np.uint64)
    bits: NDArray[np.uint64] = (cells * weights).sum(axis=-1)
    return bits


def game_of(positions: Sequence[Position]) -> GameState:
    """Return the games of positions of one variant, as NumPy arrays ``(n,)``."""

    def words(cells: Any) -> tuple[NDArray[np.uint32], ...]:
        return tuple(np.moveaxis(words_of(np.asarray(cells, bool)), -1, 0))

    num_cells = positions[0].variant.board.num_cells
    mover = np.array([position.to_play for position in positions])[:, None]
    stones = np.stack([position.stones for position in positions])
    pieces = np.stack([position.pieces for position in positions])
    seen = np.stack([position.observation("flat", "uint8") for position in positions])
    counts = np.arange(8) % 4 * HAND_BITS
    hands = seen[:, -8:].astype(np.uint32) << counts.astype(np.uint32)
    last = [position.last_action for position in positions]
    return GameState(
        own=words(stones == 1 + mover),
        other=words(stones == 2 - mover),
        low=words((pieces >= 0) & (pieces & 1 != 0)),
        high=words((pieces >= 0) & (pieces & 2 != 0)),
        allowed=words(seen[:, 2 * num_cells : 3 * num_cells]),
        own_hand=hands[:, :4].sum(axis=1, dtype=np.uint32),
        other_hand=hands[:, 4:].sum(axis=1, dtype=np.uint32),
        last=np.array([-1 if action is None else action for action in last], np.int32),
        plies=np.array([position.ply for position in positions], np.int32),
    )
