"""Networks once more, slowly and plainly, as docs/champion.md describes file and layers."""

from __future__ import annotations

import struct

import numpy as np

from mijnlieff import Board, Position, Variant

HEADER = struct.Struct("<8sIQQ")
SIGNS = ["+", "x", "<>", "><"]


class Reference:
    """A network read from the bytes of its file."""

    def __init__(self, content: bytes) -> None:
        magic, version, length, _checksum = HEADER.unpack_from(content)
        assert (magic, version, length) == (b"MIJNNETW", 1, len(content) - HEADER.size)
        at = HEADER.size
        (length,) = struct.unpack_from("<I", content, at)
        text = content[at + 4 : at + 4 + length].decode()
        rules, _, board = text.partition("\n")
        opening, copies = rules.split()
        self.variant = Variant(Board.from_text(board), opening, int(copies))
        at += 4 + length
        size, channels, self.blocks = struct.unpack_from("<III", content, at)
        self.numbers = np.frombuffer(content, "<f4", offset=at + 12).astype(np.float64)
        images = sorted(map(tuple, self.variant.board.symmetries.tolist()))
        self.images = np.array(images)
        order, actions = len(images), self.variant.num_actions
        self.moved = np.array([np.argsort(image) for image in images])
        # The number of the symmetry that undoes g after h has been done.
        product = [[tuple(np.array(undo)[list(h)]) for h in images] for undo in self.moved]
        self.elements = np.array([[images.index(image) for image in row] for row in product])
        shapes = [(channels, size), (channels,)]
        shapes += [(channels, channels, order), (channels,)] * 2 * self.blocks
        shapes += [(channels, actions + 2), (actions + 2,)]
        self.arrays = []
        for shape in shapes:
            count = int(np.prod(shape))
            self.arrays.append(self.numbers[:count].reshape(shape))
            self.numbers = self.numbers[count:]
        assert not self.numbers.size

    def evaluate(self, position: Position) -> tuple[np.ndarray, np.ndarray]:
        """Logits `(num_actions,)` and values `(2,)`."""
        arrays = iter(self.arrays)
        # Column g is what the channels make of the position as it was before symmetry g.
        seen = [features(position, image) for image in self.images]
        weights, bias = next(arrays), next(arrays)
        hidden = rectify(np.stack([weights @ inputs + bias for inputs in seen], axis=1))
        for _ in range(self.blocks):
            inner = rectify(self.convolve(hidden, next(arrays), next(arrays)))
            hidden = rectify(hidden + self.convolve(inner, next(arrays), next(arrays)))
        weights, bias = next(arrays), next(arrays)
        outputs = np.zeros_like(bias)
        for g, undo in enumerate(self.moved):
            table = by_action(undo)
            table += [len(table), len(table) + 1, len(table) + 2]
            outputs += (hidden[:, g] @ weights)[table] + bias[table] / len(self.moved)
        return outputs[:-2], np.array([np.tanh(outputs[-2]), outputs[-1]])

    def convolve(self, hidden: np.ndarray, weights: np.ndarray, bias: np.ndarray) -> np.ndarray:
        columns = [
            np.einsum("cdh,dh->c", weights[:, :, self.elements[g]], hidden) + bias
            for g in range(len(self.moved))
        ]
        return np.stack(columns, axis=1)


def rectify(numbers: np.ndarray) -> np.ndarray:
    return np.maximum(numbers, 0)


def by_action(undo: np.ndarray) -> list[int]:
    """Where each placement comes from when the cells come from `undo`."""
    return [piece * len(undo) + cell for piece in range(4) for cell in undo]


def features(position: Position, order: np.ndarray) -> np.ndarray:
    """The extended observation, with the cells in another order."""
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
    cells, hands = [part[order] for part in parts], observation[3 * n :]
    placements = [shares[:, order].ravel(), (shares[:, order] == 0).ravel()]
    return np.concatenate([*cells[:3], hands, *cells[3:], *placements])
