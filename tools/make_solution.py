"""Write docs/solution.md, on perfect play in the standard game.

``make solution`` runs it; it takes about ten minutes on two cores, and 2 GB of memory.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from forced_passes import Rows, random_rows

from mijnlieff import (
    Position,
    Variant,
    format_record,
    grade,
    random_openings,
    solve,
    solve_batch,
)
from mijnlieff._mijnlieff import canonical_counts

OPENINGS = ("outside", "corner", "corner_straight", "anywhere")
CELLS = {"corner": "a1", "edge": "b1", "centre": "b2"}
SIGNS = ("+", "x", "<>", "><")
POLICIES = ("random", "greedy", "minimax:2", "minimax:4", "perfect:0.1", "perfect")
PAGE = Path(__file__).parents[1] / "docs" / "solution.md"


def table(head: list[str], rows: list[list[str]]) -> Iterator[str]:
    """Yield the lines of a Markdown table; all columns but the first are numbers."""
    yield "| " + " | ".join(head) + " |"
    yield "| --- |" + " ---: |" * (len(head) - 1)
    for row in rows:
        yield "| " + " | ".join(row) + " |"
    yield ""


def values() -> Iterator[str]:
    """Yield the values of the opening rules and of the first moves."""
    rows = []
    for opening in OPENINGS:
        solution = solve(Position(Variant(opening=opening)))
        moves = [Variant().action_name(action) for action in solution.best_actions]
        winner = "Light" if solution.outcome > 0 else "Dark"
        rows.append([f"`{opening}`", f"{solution.margin:+d}", winner, f"{len(moves)}"])
    yield from table(["opening rule", "margin for Light", "winner", "best first moves"], rows)
    margins = solve(Position(Variant(opening="anywhere"))).action_margins
    rows = [
        [name, *(f"{margins[Variant().action_index(cell + sign)]:+d}" for sign in SIGNS)]
        for name, cell in CELLS.items()
    ]
    yield "The margin for Light after each first move, up to symmetry:"
    yield ""
    yield from table(["cell", "Straight", "Diagonal", "Pusher", "Puller"], rows)


def replies() -> Iterator[str]:
    """Yield how many replies to each first move are best."""
    rows = []
    for name, cell in CELLS.items():
        for sign in SIGNS:
            solution = solve(Position(Variant(opening="anywhere")).play(cell + sign))
            best = [Variant().action_name(action) for action in solution.best_actions]
            shown = " ".join(f"`{move}`" for move in best[:6]) + (" ..." if best[6:] else "")
            share = f"{len(best)} of {len(solution.action_margins)}"
            rows.append([f"{name} `{cell}{sign}`", f"{solution.margin:+d}", share, shown])
    yield from table(["first move", "margin for Dark", "best replies", "moves"], rows)


def counts(plies: int) -> Iterator[str]:
    """Yield the numbers of positions up to symmetry."""
    rows = []
    for opening in OPENINGS:
        found = canonical_counts(Variant(opening=opening), plies)
        rows.append([f"`{opening}`", *(f"{count:,}" for count in found)])
    yield from table(["opening rule", *(f"ply {ply}" for ply in range(plies + 1))], rows)


def passes(games: int) -> Iterator[str]:
    """Yield the longest possible row of forced passes, and those of random games."""
    length, game = Rows().longest()
    yield f"A player can be forced to pass at most {length} times in a row, as in this game:"
    yield ""
    yield f"`{format_record(game)}`"
    yield ""
    yield "`tools/forced_passes.py` shows that no longer row exists. Whether a stone leaves the"
    yield "opponent without a move depends only on its type, its cell and the taken cells. So a"
    yield "table over taken cells and hands bounds the length of every row, and a search covers"
    yield "the games that the bound does not exclude."
    yield ""
    yield f"The longest row of one player in each of {games:,} random games:"
    yield ""
    counts = np.trim_zeros(random_rows(games), "b")
    rows = [[f"{row}", f"{count:,}", f"{count / games:.4%}"] for row, count in enumerate(counts)]
    yield from table(["most passes in a row", "games", "share"], rows)


def decisions(games: int) -> Iterator[str]:
    """Yield the shares of best actions, by ply of random games."""
    rows = []
    for ply in range(16):
        solved = solve_batch(random_openings(games, ply))
        legal = solved.action_mask.sum(axis=1)
        free = legal > 1
        best = solved.best_mask.sum(axis=1)
        spread = [int(np.abs(solved.margins).max()), float(np.abs(solved.margins).mean())]
        rows.append(
            [
                f"{ply}",
                f"{legal.mean():.1f}",
                f"{(best[free] / legal[free]).mean():.1%}" if free.any() else "-",
                f"{spread[1]:.2f}",
                f"{spread[0]}",
            ]
        )
    head = ["ply", "legal actions", "share of best", "mean absolute margin", "largest"]
    yield from table(head, rows)


def grades(positions: int) -> Iterator[str]:
    """Yield the grades of the built-in policies."""
    rows = []
    for policy in POLICIES:
        total = grade(policy, positions=positions).total
        low, high = total.optimal_interval
        rows.append(
            [
                f"`{policy}`",
                f"{total.optimal:.1%} ({low:.1%} to {high:.1%})",
                f"{total.kept:.1%}",
                f"{total.regret:.3f}",
                f"{total.outcome_regret:.3f}",
            ]
        )
    head = ["policy", "optimal (95 %)", "outcome kept", "regret, points", "regret, outcomes"]
    yield from table(head, rows)


def page(plies: int, games: int, random_games: int, positions: int) -> Iterator[str]:
    """Yield the lines of the page."""
    yield "# The solution of the standard game"
    yield ""
    yield "Written by `tools/make_solution.py` (`make solution`), for the standard board and"
    yield "pieces. A margin is the points of a player minus those of the opponent if both play"
    yield "perfectly."
    yield ""
    yield "## Opening rules and first moves"
    yield ""
    yield from values()
    yield "## First replies"
    yield ""
    yield from replies()
    yield "## Positions up to symmetry"
    yield ""
    yield from counts(plies)
    yield "## Forced passes"
    yield ""
    yield from passes(random_games)
    yield "## How many actions are best"
    yield ""
    yield f"Over {games:,} positions of random games at each ply. The share of best actions is over"
    yield "positions with more than one legal action:"
    yield ""
    yield from decisions(games)
    yield "## Grades of the built-in policies"
    yield ""
    yield f"`mijnlieff grade POLICY --positions {positions}`. Regret is the mean loss compared with"
    yield "perfect play, over all positions; a win turned into a loss counts as 2 outcomes."
    yield ""
    yield from grades(positions)


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plies", type=int, default=6, help="count positions up to this ply")
    parser.add_argument(
        "--games", type=int, default=2000, help="random games to solve, for each ply"
    )
    parser.add_argument(
        "--random-games",
        type=int,
        default=1_000_000,
        help="random games to search for rows of passes",
    )
    parser.add_argument("--positions", type=int, default=3000, help="positions for each grade")
    args = parser.parse_args()
    text = (
        "\n".join(page(args.plies, args.games, args.random_games, args.positions)).rstrip() + "\n"
    )
    PAGE.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
