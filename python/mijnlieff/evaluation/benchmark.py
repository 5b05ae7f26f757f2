"""Frozen positions with their exact margins, so that grades of different people can be compared."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import Board, Position, Variant
from mijnlieff._util.choices import check_choice
from mijnlieff._util.package_data import package_data
from mijnlieff.errors import BenchmarkError
from mijnlieff.solving import SolutionBatch

__all__ = ["SOURCES", "Benchmark", "Entry", "benchmark", "write_benchmark"]

SOURCES = ("random play", "minimax 2", "strong play")

_CHECKSUMS = {
    "standard-v1": "e94190a083946e48780446dc8a752784776f72698a5d9978f2bdcfb187fcae32",
    "irregular-v1": "31f9f7df853d036d032bffb9fa535f77d3d7a367c991b40f01c68da1d1234e3f",
}
_MAGIC = b"MIJNBNCH"
_ILLEGAL = np.iinfo(np.int16).min


@dataclass(frozen=True)
class Benchmark:
    """Positions with their exact margins, the same for everyone.

    Each position is from a different game and has two or more legal actions. No symmetry of the
    board maps one to another. ``docs/benchmark.md`` tells how they were chosen.

    Attributes:
        name: the name.
        checksum: the SHA-256 of the file.
        positions: the positions; those of a variant are next to each other.
        sources: where each position comes from: ``"random play"``, ``"minimax 2"`` (depth 2 against
            itself) or ``"strong play"`` (perfect play in nine of ten decisions), ``(B,)``.
        solutions: the exact margins of the positions and of all their actions.
        decisive: whether the legal actions of a position differ in outcome, bool ``(B,)``.
    """

    name: str
    checksum: str
    positions: tuple[Position, ...]
    sources: NDArray[np.str_]
    solutions: SolutionBatch
    decisive: NDArray[np.bool_]

    def __len__(self) -> int:
        """Return the number of positions."""
        return len(self.positions)

    def __repr__(self) -> str:
        """Return the name, the number of positions and the checksum."""
        return f"<Benchmark {self.name}: {len(self)} positions, SHA-256 {self.checksum}>"


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


@cache
def benchmark(name: str) -> Benchmark:
    """Return frozen positions with their exact margins.

    >>> import mijnlieff
    >>> len(mijnlieff.benchmark("standard-v1"))
    5040

    Args:
        name: ``"standard-v1"`` for the standard game, or ``"irregular-v1"`` for eight other boards
            of four blocks.

    Raises:
        ValueError: an unknown name.
        BenchmarkError: the file in the package is damaged.
    """
    check_choice("benchmark", name, _CHECKSUMS)
    content = package_data(f"{name}.bin")
    checksum = hashlib.sha256(content).hexdigest()
    if checksum != _CHECKSUMS[name]:
        raise BenchmarkError(
            f"the benchmark {name} is damaged: its SHA-256 is {checksum}, not {_CHECKSUMS[name]}"
        )
    variants, entries = _read(content)
    positions = tuple(
        Position.from_actions(entry.actions, variants[entry.variant]) for entry in entries
    )
    # All boards have 16 cells, so all rows have the same length.
    mask = np.array([position.action_mask() for position in positions])
    margins = np.full(mask.shape, _ILLEGAL, dtype=np.int16)
    margins[mask.astype(bool)] = [margin for entry in entries for margin in entry.margins]
    best = margins.max(axis=1)
    worst = np.where(mask, margins, np.iinfo(np.int16).max).min(axis=1)
    arrays = [np.array([SOURCES[entry.source] for entry in entries]), best, margins, mask]
    for array in arrays:
        array.flags.writeable = False  # every caller gets the same arrays
    sources, best, margins, mask = arrays
    decisive = np.sign(worst) < np.sign(best)
    decisive.flags.writeable = False
    solutions = SolutionBatch(best, margins, mask)
    return Benchmark(name, checksum, positions, sources, solutions, decisive)


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
        rows = _rows(variant.board)
        text = f"{variant.opening} {variant.copies} {rows}".encode("ascii")
        content += bytes([len(text)]) + text
    for entry in entries:
        content += bytes([entry.variant, entry.source, len(entry.actions), *entry.actions])
        content += np.array(entry.margins, dtype=np.int8).tobytes()
    return bytes(content)


def _read(content: bytes) -> tuple[list[Variant], list[Entry]]:
    """Return the positions in a file that `write_benchmark` made."""
    at = len(_MAGIC) + 1
    variants = []
    for _ in range(content[len(_MAGIC)]):
        end = at + 1 + content[at]
        opening, copies, rows = content[at + 1 : end].decode("ascii").split(" ")
        variants.append(Variant(Board.from_text(rows.replace("/", "\n")), opening, int(copies)))
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


def _rows(board: Board) -> str:
    cells = set(board.cells)
    return "/".join(
        "".join("#" if (x, y) in cells else "." for x in range(board.width))
        for y in reversed(range(board.height))
    )
