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

from mijnlieff._mijnlieff import (
    from_positions,
    init,
    legal_mask,
    observe,
    score,
    step,
    to_play,
    to_positions,
)

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
