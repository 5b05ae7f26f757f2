"""Print the example game ply by ply, as the reference plays it.

Usage: ``python tests/python/support/make_golden.py > tests/data/example_game.txt``
"""

from __future__ import annotations

from reference import DARK, LIGHT, SIGNS, Board, Cell, Position, Variant

STANDARD = Board.from_blocks([(0, 0), (2, 0), (0, 2), (2, 2)])
RECORD = (
    "1. a1+, a3><; 2. a2+, a4<>; 3. b2><, c2+; 4. c3<>, c1x; 5. d2><, d3+; "
    "6. d4x, pass; 7. b4x, pass; 8. b3<>, b1<> #"
)
HEADER = """\
# The example game of the rules, position by position, on the standard board.
# Written by tests/python/support/make_golden.py; not edited by hand.
#
# Lines that start with # and blank lines carry nothing. Any other line is a key and its words, one
# space between them. `record` comes once; each `ply` line opens a position:
#   record    the whole game
#   ply       actions played so far
#   played    the action that led here (no such line at ply 0)
#   to_play   light, dark, or over
#   row       row number, then its cells from column a on, the top row first: `.` if empty,
#             otherwise L or D for the player and the sign of the piece
#   light     pieces held: Straight, Diagonal, Pusher, Puller
#   dark      the same for Dark
#   legal     legal actions in ascending index order (none when the game is over)
#   score     points of Light, points of Dark
"""


def action_names(record: str) -> list[str]:
    """Take the actions out of a record by dropping turn numbers, separators and the end mark."""
    words = record.replace(",", " ").replace(";", " ").replace("#", " ").split()
    return [word for word in words if not word.endswith(".")]


def describe(position: Position, drawn: dict[Cell, str]) -> list[str]:
    """List the lines of one position; ``drawn`` has the text of each stone."""
    board, name = position.variant.board, position.variant.name
    side = "over" if position.is_over else ("light", "dark")[position.to_play]
    lines = [f"to_play {side}"]
    for y in reversed(range(board.height)):
        cells = (drawn.get((x, y), ".") for x in range(board.width))
        lines.append(" ".join(["row", str(y + 1), *cells]))
    for word, player in (("light", LIGHT), ("dark", DARK)):
        lines.append(" ".join([word, *map(str, position.hands[player])]))
    lines.append(" ".join(["legal", *map(name, position.legal_actions())]))
    lines.append(" ".join(["score", *map(str, position.score())]))
    return lines


def golden_text() -> str:
    """Replay the example game and return the whole file."""
    variant = Variant(STANDARD)
    position = variant.start()
    drawn: dict[Cell, str] = {}
    lines = [f"record {RECORD}", "", "ply 0", *describe(position, drawn)]
    for played in action_names(RECORD):
        action = variant.action(played)
        if action != variant.pass_action:
            piece, cell = variant.decode(action)
            drawn[cell] = "LD"[position.to_play] + SIGNS[piece]
        position = position.play(action)
        lines += ["", f"ply {position.ply}", f"played {played}", *describe(position, drawn)]
    return HEADER + "\n".join(lines) + "\n"


if __name__ == "__main__":
    print(golden_text(), end="")
