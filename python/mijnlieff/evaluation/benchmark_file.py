"""The file of a benchmark: variants, and positions with the margins of their actions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from mijnlieff._mijnlieff import Board, Position, Variant

__all__ = ["SOURCES", "Entry", "read_benchmark", "write_benchmark"]

SOURCES = ("random play", "minimax 2", "strong play")

_MAGIC = b"MIJNBNCH"


@dataclass(frozen=True)
class Entry:
    """A position in a file.

    Attributes:
        variant: the number of its variant.
        source: the number of its source in `SOURCES`.
        actions: the actions from the start of the game.
        margins: the exact margin after each legal action, for the side to move.
    """

    variant: int
    source: int
    actions: tuple[int, ...]
    margins: tuple[int, ...]


def write_benchmark(variants: Sequence[Variant], entries: Sequence[Entry]) -> bytes:
    """Return the content of a file with these positions.

    It begins with a magic number of eight bytes and a byte with the number of variants. For each of
    these follow the length of a text, in a byte, and the text: opening, copies and the rows of the
    board from the top. Each position has a byte for its variant, its source, the number of actions
    and each action, then the margins of the legal actions as signed bytes, in ascending order of
    the actions.
    """
    content = bytearray(_MAGIC)
    content.append(len(variants))
    for variant in variants:
        rows = str(variant.board).replace("\n", "/")
        text = f"{variant.opening} {variant.copies} {rows}".encode("ascii")
        content += bytes([len(text)]) + text
    for entry in entries:
        content += bytes([entry.variant, entry.source, len(entry.actions), *entry.actions])
        content += np.array(entry.margins, dtype=np.int8).tobytes()
    return bytes(content)


def read_benchmark(content: bytes) -> tuple[list[Variant], list[Entry]]:
    """Return the variants and positions of a file that `write_benchmark` made."""
    at = len(_MAGIC) + 1
    variants = []
    for _ in range(content[len(_MAGIC)]):
        end = at + 1 + content[at]
        opening, copies, rows = content[at + 1 : end].decode("ascii").split(" ")
        variants.append(Variant(Board.from_text(rows), opening, int(copies)))
        at = end
    entries = []
    while at < len(content):
        variant, source, plies = content[at : at + 3]
        actions = tuple(content[at + 3 : at + 3 + plies])
        at += 3 + plies
        legal = len(Position.from_actions(actions, variants[variant]).legal_actions())
        margins = np.frombuffer(content, np.int8, legal, at)
        entries.append(Entry(variant, source, actions, tuple(margins.tolist())))
        at += legal
    return variants, entries
