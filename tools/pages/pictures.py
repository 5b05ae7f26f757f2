"""The pictures of the website: positions and a game."""

from __future__ import annotations

from pathlib import Path

from mijnlieff import Board, Position, Variant, parse_record
from mijnlieff.render import Gallery, svg
from tools.pages.animated_svg import animated_svg
from tools.players import PIECES

# The example game of the rule sheets.
RECORD = (
    "1. a1+, a3><; 2. a2+, a4<>; 3. b2><, c2+; 4. c3<>, c1x; 5. d2><, d3+; 6. d4x, pass; "
    "7. b4x, pass; 8. b3<>, b1<> #"
)
STAIRS = [(0, 0), (1, 2), (2, 4), (3, 6)]
PINWHEEL = [(1, 0), (3, 1), (2, 3), (0, 2)]


def gallery(positions: dict[str, Position], columns: int, size: int = 320) -> str:
    """Return positions side by side, each above its caption."""
    return Gallery(positions.values(), positions, size=size, columns=columns)._repr_svg_()


def files(docs: Path) -> dict[str, str]:
    """Return every picture by its path; they need none of the files in ``docs``."""
    del docs
    actions = parse_record(RECORD)
    game = [Position.from_actions(actions[:ply]) for ply in range(len(actions) + 1)]
    anywhere = Variant(opening="anywhere")
    pieces = {name: f"b2{sign}" for sign, name in PIECES.items()}
    openings = {"outside": "outside", "corner, corner_straight": "corner", "anywhere": "anywhere"}
    gap = Variant(Board.from_text("##..##\n##..##\n..##..\n..##.."), "anywhere")
    boards = {
        "stairs": Variant(Board.from_blocks(STAIRS)),
        "pinwheel": Variant(Board.from_blocks(PINWHEEL)),
        "two boxes": Variant(Board.from_text("\n".join(["########"] * 4)), copies=4),
    }
    grown = {
        f"{blocks} blocks": Position(Variant(Board.random(blocks, blocks), copies=blocks // 2))
        for blocks in range(4, 8)
    }
    drawn = {
        "board": svg(game[10]),
        "pictures/game": animated_svg(game, "A game of Mijnlieff, move by move"),
        "pictures/pieces": gallery(
            {f"{name} {move}": Position(anywhere).play(move) for name, move in pieces.items()}, 2
        ),
        "pictures/openings": gallery(
            {text: Position(Variant(opening=rule)) for text, rule in openings.items()}, 3
        ),
        "pictures/pass": gallery(
            {"Dark has no allowed cell": game[11], "after the pass, any empty cell": game[12]}, 2
        ),
        "pictures/end": svg(game[-1], size=420),
        "pictures/gaps": gallery(
            {
                "the row ends at the gap": Position(gap).play("a3+"),
                "a diagonal runs through a corner": Position(gap).play("a4x"),
            },
            2,
        ),
        "pictures/boards": gallery(
            {name: Position(variant) for name, variant in boards.items()}, 3
        ),
        "pictures/many_boards": gallery(grown, 4, 200),
    }
    return {f"{name}.svg": text + "\n" for name, text in drawn.items()}
