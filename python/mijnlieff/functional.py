"""Games as plain arrays: pure functions from states to states.

A state is one uint64 on boards of up to 16 cells, with any number of copies, and five on larger
boards. So ``n`` states are a uint64 array ``(n,)`` or ``(n, 5)``. No function changes its
arguments, and there is nothing to reset, seed or close: this is what tree searches, model-based
learners and servers want. `mijnlieff.VectorEnv` is faster for plain self-play, since it keeps the
games ready to play.

>>> import numpy as np
>>> from mijnlieff import functional
>>> states = functional.init(4)
>>> mask = functional.legal_mask(states)  # int8 (4, 65)
>>> states, rewards, terminated = functional.step(states, mask.argmax(axis=1))
>>> functional.to_play(states)
array([1, 1, 1, 1], dtype=int8)

**The end of a game.** A game that is over stays as it is: `step` takes any action for it, returns
the state unchanged, reward 0 and terminated True, and every entry of its mask is 1.

**Format.** A state holds what `Position.notation` holds: which piece lies where, the last turn, and
the number of plies, whose parity tells who is to move. On boards of up to 16 cells the word is

====== ========================================================================================
bits   meaning
====== ========================================================================================
0-12   cells 0 to 3 as a number of base 9, ``d0 + 9 * d1 + 81 * d2 + 729 * d3``; the digit of a
       cell is 0 if it is empty, else ``1 + 4 * player + piece`` (player 0 Light, 1 Dark)
13-25  cells 4 to 7, in the same way
26-38  cells 8 to 11
39-51  cells 12 to 15
52-57  number of plies so far, passes included
58-62  last turn: 0 none, 1 pass, ``2 + cell`` for a placement
63     whether an illegal action of the side to move has ended the game
====== ========================================================================================

On larger boards word 0 has the stones of Light (bit ``i`` for cell ``i``), word 1 those of Dark,
word 2 the stones that are Diagonals or Pullers, word 3 those that are Pushers or Pullers, and word
4 the plies (bits 0-7), the last turn (bits 8-14) and the illegal end (bit 63). Bits without a
meaning are 0. In both formats zeros are the start of every variant.

A state is not a packed observation: that is a view of the side to move, without the seat, the last
turn and the types of the stones. ``observe(states, "packed")`` gives it.

The format changes only in a release whose changelog says so under Breaking. Words do not carry a
version or the variant, so store those beside them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal, SupportsIndex

from mijnlieff._mijnlieff import (
    Position,
    functional_from_positions,
    functional_init,
    functional_legal_mask,
    functional_observe,
    functional_score,
    functional_step,
    functional_to_play,
    functional_to_positions,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, DTypeLike, NDArray

    from mijnlieff.rules import VariantLike

__all__ = [
    "from_positions",
    "init",
    "legal_mask",
    "observe",
    "score",
    "step",
    "to_play",
    "to_positions",
]


def init(n: SupportsIndex, variant: VariantLike | None = None) -> NDArray[np.uint64]:
    """Return the states of new games.

    Args:
        n: number of games, 0 or more.
        variant: the game; None is the standard game.

    Returns:
        uint64 ``(n,)``, or ``(n, 5)`` on boards of more than 16 cells; all zero.

    Raises:
        ValueError: `n` is negative.
        TypeError: `n` is not an integer, or `variant` is not a variant.
        MemoryError: there is not enough memory.
    """
    return functional_init(n, variant)


def step(
    states: ArrayLike,
    actions: ArrayLike,
    variant: VariantLike | None = None,
    *,
    reward: Literal["outcome", "margin"] = "outcome",
    illegal_action: Literal["raise", "lose"] = "raise",
    num_threads: SupportsIndex | None = None,
) -> tuple[NDArray[np.uint64], NDArray[np.float32], NDArray[np.bool_]]:
    """Play an action in each state.

    Runs without the GIL and stops on Ctrl-C.

    Args:
        states: uint64 ``(n,)``, or ``(n, 5)`` on boards of more than 16 cells; unchanged.
        actions: integers ``(n,)``; those of games that are over are ignored.
        variant: the game; None is the standard game.
        reward: ``"outcome"`` (1, 0 or -1) or ``"margin"`` (own points minus the opponent's), for
            the player who acted. It is 0 unless the step ends the game.
        illegal_action: ``"raise"`` an error, or ``"lose"`` the game at once with reward -1.
        num_threads: 1 to 1024 threads; None takes one for each 8,192 states, up to the number of
            cores.

    Returns:
        The next states, a new array like `states`; the rewards, float32 ``(n,)``; and whether each
        game is over, bool ``(n,)``.

    Raises:
        IllegalMoveError: an action does not exist or is illegal; the first one is in the fields of
            the error, and its number in ``env_index``.
        PositionError: a word is not a state of the variant; the message gives its number and value.
        TypeError: `states` is not uint64, or `actions` are not integers.
        ValueError: a wrong shape, or an unknown option.
        MemoryError: there is not enough memory.
    """
    return functional_step(states, actions, variant, reward, illegal_action, num_threads)


def legal_mask(
    states: ArrayLike,
    variant: VariantLike | None = None,
    *,
    num_threads: SupportsIndex | None = None,
) -> NDArray[np.int8]:
    """Return the legal actions of each state.

    Args:
        states: uint64 ``(n,)``, or ``(n, 5)`` on boards of more than 16 cells.
        variant: the game; None is the standard game.
        num_threads: 1 to 1024 threads; None takes one for each 8,192 states, up to the number of
            cores.

    Returns:
        int8 ``(n, num_actions)``, 1 for every legal action. Where the game is over all are 1, as
        any action may be given to `step`.

    Raises:
        PositionError: a word is not a state of the variant; the message gives its number and value.
        TypeError: `states` is not uint64.
        ValueError: `states` has a wrong shape.
        MemoryError: there is not enough memory.
    """
    return functional_legal_mask(states, variant, num_threads)


def observe(
    states: ArrayLike,
    layout: Literal["flat", "planes", "packed"] = "flat",
    dtype: DTypeLike = "float32",
    variant: VariantLike | None = None,
    *,
    player: SupportsIndex | None = None,
    num_threads: SupportsIndex | None = None,
) -> NDArray[Any]:
    """Return the observation of each state.

    Layouts and dtypes are those of `Position.observation`. A game that an illegal action has ended
    is seen as it was before.

    Args:
        states: uint64 ``(n,)``, or ``(n, 5)`` on boards of more than 16 cells.
        layout: ``"flat"`` ``(n, 3 * num_cells + 8)``, ``"planes"`` ``(n, 12, height, width)`` or
            ``"packed"`` uint64 ``(n,)``.
        dtype: float32 or uint8; ``"packed"`` ignores it.
        variant: the game; None is the standard game.
        player: None for the view of the side to move, 0 for Light's and 1 for Dark's. Off turn no
            cell is allowed.
        num_threads: 1 to 1024 threads; None takes one for each 8,192 states, up to the number of
            cores.

    Returns:
        An array of that shape and dtype.

    Raises:
        PositionError: a word is not a state of the variant; the message gives its number and value.
        VariantError: packed, but more than 16 cells or 3 copies.
        TypeError: `states` is not uint64, or another dtype.
        ValueError: `states` has a wrong shape, or an unknown layout or player.
        MemoryError: there is not enough memory.
    """
    return functional_observe(states, layout, dtype, variant, player, num_threads)


def to_play(
    states: ArrayLike,
    variant: VariantLike | None = None,
    *,
    num_threads: SupportsIndex | None = None,
) -> NDArray[np.int8]:
    """Return who acts next in each state, int8 ``(n,)``: 0 Light, 1 Dark.

    Arguments and errors are those of `legal_mask`.
    """
    return functional_to_play(states, variant, num_threads)


def score(
    states: ArrayLike,
    variant: VariantLike | None = None,
    *,
    num_threads: SupportsIndex | None = None,
) -> NDArray[np.int16]:
    """Return the points of Light and of Dark in each state so far, int16 ``(n, 2)``.

    Arguments and errors are those of `legal_mask`.
    """
    return functional_score(states, variant, num_threads)


def from_positions(positions: Sequence[Position]) -> NDArray[np.uint64]:
    """Return the states of positions of one variant, uint64 ``(n,)`` or ``(n, 5)``.

    Raises:
        ValueError: no positions, or positions of different variants.
        TypeError: an item is not a `Position`.
    """
    return functional_from_positions(positions)


def to_positions(states: ArrayLike, variant: VariantLike | None = None) -> list[Position]:
    """Return the position of each state, with all that `Position.notation` holds.

    Raises:
        PositionError: a word is not a state of the variant, or an illegal action has ended the
            game, which a position cannot show.
        TypeError: `states` is not uint64.
        ValueError: `states` has a wrong shape.
        MemoryError: there is not enough memory.
    """
    return functional_to_positions(states, variant)
