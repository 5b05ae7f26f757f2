"""Compare the solver on the boards of docs/atlas.csv with plain alpha-beta.

``python -m tools.data.check_atlas`` runs it. For every board and opening rule it plays a best first
move and random plies, then lets `MinimaxPolicy` search to the end of the game, without table or
symmetry, at every turn. The margin of that game must be the one that the solver proves.
"""

from __future__ import annotations

import argparse
import random

from mijnlieff import MinimaxPolicy, Position, solve
from mijnlieff._util.output import status_bar
from tools.data.atlas import known


def main() -> None:
    """Check all values, or some."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plies", type=int, default=4, help="plies before the search")
    parser.add_argument("--sample", type=int, help="values to check; all by default")
    args = parser.parse_args()
    values = known()
    draw = random.Random(0)
    chosen = draw.sample(values, args.sample or len(values))
    with status_bar() as bar:
        for done, value in enumerate(chosen):
            start = Position(value.variant)
            solution = solve(start)
            best = tuple(value.variant.action_name(it) for it in solution.best_actions)
            assert (solution.margin, best) == (value.margin, value.best), value
            position = start.play(draw.choice(best)) if args.plies else start
            while position.ply < args.plies:
                position = position.play(int(draw.choice(position.legal_actions().tolist())))
            margin = solve(position).light_margin
            plain = MinimaxPolicy(value.variant.max_game_length)
            while not position.is_over:
                position = position.play(plain.act(position))
            assert position.margin == margin, (value, position)
            bar.update((done + 1) / len(chosen), f"board {value.number}, {value.opening}")
    print(f"{len(chosen)} values agree, searched by plain alpha-beta from ply {args.plies} on")


if __name__ == "__main__":
    main()
