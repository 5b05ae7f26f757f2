"""Random boards, openings and copies from a seed: what the rules are compared on.

Block layouts grow by steps that touch by an edge, touch by a corner, leave a gap, or mix the
three; text boards are random cells, lines, and full rectangles.
"""

from __future__ import annotations

import random
from dataclasses import dataclass

import mijnlieff
from reference import OPENINGS, Board, Cell, Variant

BLOCK_STYLES = ("edge", "corner", "gap", "mixed")
TEXT_STYLES = ("scattered", "rectangle", "line")


@dataclass(frozen=True)
class VariantSpec:
    """A variant as a user asks for it: blocks or text, never both, an opening and copies."""

    blocks: tuple[Cell, ...] | None
    text: str | None
    opening: str
    copies: int

    def reference(self) -> Variant:
        """Build the variant in the slow implementation."""
        if self.blocks is not None:
            board = Board.from_blocks(self.blocks)
        else:
            assert self.text is not None
            board = Board.from_text(self.text)
        return Variant(board, self.opening, self.copies)


def random_spec(seed: int) -> VariantSpec:
    """Draw the variant of a seed; its copies may exceed what the cells can hold."""
    rng = random.Random(f"variant {seed}")
    blocks, text = None, None
    if rng.random() < 0.6:
        blocks = random_blocks(rng)
    else:
        text = random_text(rng)
    return VariantSpec(blocks, text, rng.choice(OPENINGS), rng.randint(1, 4))


def random_blocks(rng: random.Random) -> tuple[Cell, ...]:
    """Lay 1 to 16 blocks, each beside one that lies already; few blocks are more common."""
    count = rng.randint(1, 16) if rng.random() < 0.4 else rng.randint(1, 6)
    style = rng.choice(BLOCK_STYLES)
    blocks = [(rng.randint(-3, 3), rng.randint(-3, 3))]
    while len(blocks) < count:
        x, y = rng.choice(blocks)
        dx, dy = random_step(rng, style)
        new = (x + dx, y + dy)
        if all(max(abs(new[0] - a), abs(new[1] - b)) >= 2 for a, b in blocks):
            blocks.append(new)
    rng.shuffle(blocks)
    return tuple(blocks)


def random_step(rng: random.Random, style: str) -> Cell:
    """Draw the offset from one block to the next: shared edge, shared corner, or a gap."""
    if style == "mixed":
        style = rng.choice(BLOCK_STYLES[:3])
    if style == "corner":
        return rng.choice((-2, 2)), rng.choice((-2, 2))
    far = rng.choice((-2, 2)) if style == "edge" else rng.choice((-4, -3, 3, 4))
    side = rng.randint(-1, 1) if style == "edge" else rng.randint(-4, 4)
    return (far, side) if rng.random() < 0.5 else (side, far)


def random_text(rng: random.Random) -> str:
    """Draw a board of 1 to 64 cells as text, sometimes with empty rows and columns around it."""
    style = rng.choice(TEXT_STYLES)
    if style == "line":
        width, height, density = rng.randint(1, rng.choice((12, 64))), 1, 0.9
        if rng.random() < 0.5:
            width, height = height, width
    else:
        longest = rng.choice((4, 6, 8))
        width, height = rng.randint(1, longest), rng.randint(1, longest)
        density = 1.0 if style == "rectangle" else rng.choice((0.3, 0.6, 0.9))
    places = [(x, y) for y in range(height) for x in range(width)]
    cells = {place for place in places if rng.random() < density} or {rng.choice(places)}
    rows = ["".join(".#"[(x, y) in cells] for x in range(width)) for y in range(height)]
    if rng.random() < 0.2:
        empty = "." * (width + 2)
        rows = [empty, *(f".{row}." for row in rows), empty]
    return "\n".join(rows)


def build(spec: VariantSpec) -> mijnlieff.Variant:
    """Build the variant of a spec in the core."""
    if spec.blocks is not None:
        board = mijnlieff.Board.from_blocks(list(spec.blocks))
    else:
        board = mijnlieff.Board.from_text(spec.text)
    return mijnlieff.Variant(board, opening=spec.opening, copies=spec.copies)
