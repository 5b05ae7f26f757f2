"""Networks of random weights on boards of every symmetry."""

import numpy as np
import pytest

from mijnlieff import Board, Variant
from mijnlieff._mijnlieff import Network

VARIANTS = {
    "standard": Variant(),
    "rotations": Variant(Board.from_text(".#..\n.###\n###.\n..#."), "anywhere", 1),
    "half turn": Variant(Board.from_text(".##\n.#.\n##."), "anywhere", 2),
    "two rows": Variant(Board.from_text("####\n####"), "anywhere", 1),
    "corner to corner": Variant(Board.from_text("##..\n##..\n..##\n..##"), copies=3),
    "no symmetry": Variant(Board.from_text("###.\n#..."), "anywhere", 1),
    "one cell": Variant(Board.from_text("#"), copies=1),
}
EACH_VARIANT = pytest.mark.parametrize("variant", VARIANTS.values(), ids=VARIANTS)


def num_weights(shape, units, blocks, heads):
    """The number of weights of a network, for a board or a canvas."""
    offsets = 2 * (2 * shape.height - 1) * (2 * shape.width - 1)
    block = offsets * heads + units * (6 * units + 9)
    return 26 * units + blocks * block + units * (units + 3) + 7 * (units + 1)


def network_for(variant, units=16, blocks=2, heads=4, seed=0, scale=None):
    """A network of random weights, whose outputs are far from 0."""
    count = num_weights(variant.board, units, blocks, heads)
    scale = 0.8 / units**0.5 if scale is None else scale
    numbers = np.random.default_rng(seed).normal(0, scale, count).astype(np.float32)
    return Network.of_cells(variant, units, blocks, heads, numbers)


def canvas_network(canvas, copies=2, units=12, blocks=2, heads=3, seed=0, scale=0.3):
    """A network of random weights for a canvas."""
    count = num_weights(canvas, units, blocks, heads)
    numbers = np.random.default_rng(seed).normal(0, scale, count).astype(np.float32)
    return Network.on_canvas(canvas, copies, units, blocks, heads, numbers)


def damaged(kind, content):
    """The content of a file of a network, damaged in one way."""
    match kind:
        case "empty":
            return b""
        case "foreign":
            return b"PK\x03\x04" + content[4:]
        case "old":
            return content[:8] + b"\x01" + content[9:]
        case "newer":
            return content[:8] + b"\x06" + content[9:]
        case "short":
            return content[:20]
        case "truncated":
            return content[:-1]
        case "longer":
            return content + b"\0"
        case "flipped":
            middle = len(content) // 2
            return content[:middle] + bytes([content[middle] ^ 4]) + content[middle + 1 :]
