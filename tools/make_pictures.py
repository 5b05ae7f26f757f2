"""Make the pictures of the documentation: ``python tools/make_pictures.py``."""

from pathlib import Path

from mijnlieff import Position
from mijnlieff.render import svg

# The example game after Dark's fifth turn: Light may place on b3, d1 and d4 only.
RECORD = "1. a1+, a3><; 2. a2+, a4<>; 3. b2><, c2+; 4. c3<>, c1x; 5. d2><, d3+"


def main() -> None:
    """Write ``docs/board.svg``."""
    picture = Path(__file__).parents[1] / "docs" / "board.svg"
    picture.write_text(svg(Position.from_record(RECORD)) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
