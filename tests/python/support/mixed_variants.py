"""Variants that are mixed in one batch, and how often each is drawn."""

from __future__ import annotations

import numpy as np

from mijnlieff import Board, Variant

VARIANTS = [
    Variant(),
    Variant(Board.from_text("##..\n..##"), copies=1),
    Variant(Board.from_blocks([(0, 0), (2, 1), (4, 0)]), "anywhere", copies=3),
    Variant(opening="corner_straight", copies=1),
    Variant(Board.from_text("#.#"), copies=1),
    Variant(),
]
LARGE = [*VARIANTS[:3], Variant(Board.random(16, 3, corners=True), copies=127)]
WEIGHTS = [3.0, 1, 0.25, 0, np.float32(2), 7]
