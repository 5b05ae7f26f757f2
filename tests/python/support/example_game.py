"""The example game of the rules, as the reference reads it."""

from __future__ import annotations

from reference import Board

STANDARD = Board.from_blocks([(0, 0), (2, 0), (0, 2), (2, 2)])
RECORD = (
    "1. a1+, a3><; 2. a2+, a4<>; 3. b2><, c2+; 4. c3<>, c1x; 5. d2><, d3+; "
    "6. d4x, pass; 7. b4x, pass; 8. b3<>, b1<> #"
)


def action_names(record: str) -> list[str]:
    """Take the actions out of a record by dropping turn numbers, separators and the end mark."""
    words = record.replace(",", " ").replace(";", " ").replace("#", " ").split()
    return [word for word in words if not word.endswith(".")]
