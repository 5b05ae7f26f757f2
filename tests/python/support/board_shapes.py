"""Variants whose boards differ in size, shape and symmetry."""

from mijnlieff import Board, Variant

TWO_ISLANDS = Variant(Board.from_text("##..\n..##"), copies=1)
WIDE = Variant(Board.from_blocks([(0, 0), (2, 0), (4, 0), (1, 2), (3, 3)]), "anywhere", 2)
GAPS = Variant(Board.from_text(".##.#\n.###.\n##..#\n#####"), "anywhere", 3)
VARIANTS = {
    "standard": Variant(),
    "anywhere3": Variant(opening="anywhere", copies=3),
    "corner_straight1": Variant(opening="corner_straight", copies=1),
    "row": Variant(Board.from_blocks([(0, 0), (2, 0), (4, 0), (6, 0)]), opening="corner"),
    "diagonal": Variant(Board.from_blocks([(0, 0), (2, 2), (4, 4), (6, 6)]), copies=4),
    "large": Variant(Board.from_blocks([(x, y) for x in (0, 2, 5) for y in (0, 3)]), copies=3),
    "islands": TWO_ISLANDS,
    "cell": Variant(Board.from_text("#"), copies=1),
    "pair": Variant(Board.from_text("#.#"), copies=1),
    "full": Variant(Board.from_text("\n".join(["########"] * 8)), copies=9),
}
SMALL = ("standard", "corner_straight1", "islands", "pair")
