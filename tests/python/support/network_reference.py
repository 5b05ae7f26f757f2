"""The network once more, slowly and plainly, as docs/champion.md describes file and layers."""

from __future__ import annotations

import struct

import numpy as np

from mijnlieff import Board, Position, Variant

HEADER = struct.Struct("<8sIQQ")
SIGNS = ["+", "x", "<>", "><"]


def reference_of(content: bytes) -> Reference:
    """The network in the bytes of its file."""
    magic, version, length, _checksum = HEADER.unpack_from(content)
    assert (magic, version, length) == (b"MIJNNETW", 2, len(content) - HEADER.size)
    at = HEADER.size
    texts = []
    for _ in range(2):
        (length,) = struct.unpack_from("<I", content, at)
        texts.append(content[at + 4 : at + 4 + length].decode())
        at += 4 + length
    rules, _, board = texts[0].partition("\n")
    opening, copies = rules.split()
    variant = Variant(Board.from_text(board), opening, int(copies))
    assert texts[1] == "cells"
    inputs, *sizes = struct.unpack_from("<4I", content, at)
    assert inputs == 15 * variant.board.num_cells + 10
    numbers = np.frombuffer(content, "<f4", offset=at + 16).astype(np.float64)
    return Reference(variant, numbers, *sizes)


def arrays_of(numbers: np.ndarray, shapes: list[tuple[int, ...]]) -> list[np.ndarray]:
    """The numbers, array after array."""
    arrays = []
    for shape in shapes:
        count = int(np.prod(shape))
        arrays.append(numbers[:count].reshape(shape))
        numbers = numbers[count:]
    assert not numbers.size
    return arrays


class Reference:
    """A network with a token for each cell."""

    def __init__(
        self, variant: Variant, numbers: np.ndarray, units: int, blocks: int, heads: int
    ) -> None:
        self.variant, self.blocks, self.heads = variant, blocks, heads
        height, width = variant.board.height, variant.board.width
        offsets = (2 * height - 1, 2 * width - 1, 2)
        shapes = [(units, 15), (units,), (units, 10), (*offsets, blocks, heads)]
        for _ in range(blocks):
            shapes += [(units,), (units,), (units, units), (units,), (units, units), (units,)]
            shapes += [(units,), (units,), (2 * units, units), (2 * units,)]
            shapes += [(units, 2 * units), (units,)]
        shapes += [(units,), (units,), (4, units), (4,), (units, units), (units,), (3, units), (3,)]
        self.arrays = arrays_of(numbers, shapes)

    def evaluate(self, position: Position) -> tuple[np.ndarray, np.ndarray]:
        """Logits `(num_actions,)` and values `(2,)`."""
        n = self.variant.board.num_cells
        observed = features(position)
        is_global = np.zeros(len(observed), bool)
        is_global[3 * n : 3 * n + 8] = is_global[-2:] = True
        cells = observed[~is_global].reshape(15, n).T
        arrays = iter(self.arrays)

        def linear(inputs: np.ndarray) -> np.ndarray:
            return inputs @ next(arrays).T + next(arrays)

        def norm(inputs: np.ndarray) -> np.ndarray:
            centered = inputs - inputs.mean(axis=1, keepdims=True)
            spread = np.sqrt((centered**2).mean(axis=1, keepdims=True) + 1e-5)
            return centered / spread * next(arrays) + next(arrays)

        tokens = linear(cells)
        tokens = tokens + observed[is_global] @ next(arrays).T
        kernels = self.kernels(next(arrays))
        for block in range(self.blocks):
            said = rectify(linear(norm(tokens)))
            parts = np.split(said, self.heads, axis=1)
            heard = [kernels[block][head] @ part for head, part in enumerate(parts)]
            tokens = tokens + linear(np.concatenate(heard, axis=1))
            tokens = tokens + linear(rectify(linear(norm(tokens))))
        tokens = norm(tokens)
        placements = linear(tokens)
        rest = linear(rectify(linear(tokens.mean(axis=0))))
        logits = np.append(placements.T.ravel(), rest[0])
        return logits, np.array([np.tanh(rest[1]), rest[2]])

    def kernels(self, table: np.ndarray) -> np.ndarray:
        """The matrices of all blocks and heads, `(blocks, heads, n, n)`."""
        board = self.variant.board
        sees = seen_from(board)
        kernels = np.zeros((self.blocks, self.heads, board.num_cells, board.num_cells))
        for i, (x, y) in enumerate(board.cells):
            for j, (to_x, to_y) in enumerate(board.cells):
                dy, dx = to_y - y + board.height - 1, to_x - x + board.width - 1
                kernels[:, :, i, j] = table[dy, dx, int(i == j or j in sees[i])]
        return kernels


def seen_from(board: Board) -> list[set[int]]:
    """The cells that a straight or diagonal piece on each cell points to."""
    number = {cell: i for i, cell in enumerate(board.cells)}
    seen = []
    for x, y in board.cells:
        found = set()
        for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
            for sign in (1, -1):
                step = 1
                while (cell := (x + sign * step * dx, y + sign * step * dy)) in number:
                    found.add(number[cell])
                    step += 1
        seen.append(found)
    return seen


def rectify(numbers: np.ndarray) -> np.ndarray:
    return np.maximum(numbers, 0)


def features(position: Position) -> np.ndarray:
    """The extended observation."""
    board = position.variant.board
    n = board.num_cells
    number = {cell: i for i, cell in enumerate(board.cells)}
    lines = []
    for x, y in board.cells:
        for dx, dy in ((1, 0), (0, 1), (1, 1), (1, -1)):
            line = [(x + k * dx, y + k * dy) for k in range(3)]
            if all(cell in number for cell in line):
                lines.append([number[cell] for cell in line])
    observation = position.observation("flat").astype(np.float64)
    own, opposing, allowed = observation[: 3 * n].reshape(3, n)
    empty = [i for i in range(n) if not own[i] and not opposing[i]]
    parts = [own, opposing, allowed]
    for mine, theirs in ((own, opposing), (opposing, own)):
        for count in (2, 1):
            part = np.zeros(n)
            for line in lines:
                if mine[line].sum() == count and not theirs[line].any():
                    part[[cell for cell in line if cell in empty]] += 1
            parts.append(part)
    shares = np.zeros((4, n))
    start = Position(Variant(board, "anywhere", 1))
    for piece, sign in enumerate(SIGNS):
        for cell in range(n):
            after = start.play(board.cell_name(cell) + sign).observation("flat")
            shares[piece, cell] = after[2 * n + np.array(empty, dtype=int)].sum() / n
    hands, placements = observation[3 * n :], [shares.ravel(), (shares == 0).ravel()]
    margin = sum(own[line].all() - 1.0 * opposing[line].all() for line in lines)
    last = [allowed.mean(), margin / 4]
    return np.concatenate([*parts[:3], hands, *parts[3:], *placements, last])
