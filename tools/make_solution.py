"""Write docs/solution.md: what perfect play says about the standard game.

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
    """What each opening rule and each first move is worth."""
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
    """How many replies to each first move keep the margin."""
    rows = []
    for name, cell in CELLS.items():
        for sign in SIGNS:
            solution = solve(Position(Variant(opening="anywhere")).play(cell + sign))
            best = [Variant().action_name(action) for action in solution.best_actions]
            shown = " ".join(f"`{move}`" for move in best[:6]) + (" ..." if best[6:] else "")
            share = f"{len(best)} of {len(solution.action_margins)}"
            rows.append([f"{name} `{cell}{sign}`", f"{solution.margin:+d}", share, shown])
    yield from table(["first move", "margin for Dark", "best replies", "which"], rows)


def counts(plies: int) -> Iterator[str]:
    """Positions up to symmetry."""
    rows = []
    for opening in OPENINGS:
        found = canonical_counts(Variant(opening=opening), plies)
        rows.append([f"`{opening}`", *(f"{count:,}" for count in found)])
    yield from table(["opening rule", *(f"ply {ply}" for ply in range(plies + 1))], rows)


def passes(games: int) -> Iterator[str]:
    """Forced passes of one player in a row: in random games, and the most there can be."""
    length, game = Rows().longest()
    yield f"A player can be made to pass {length} times in a row and no more, as in this game:"
    yield ""
    yield f"`{format_record(game)}`"
    yield ""
    yield "`tools/forced_passes.py` shows that there is no longer row: whether a stone leaves the"
    yield "opponent without a move depends only on its type, its cell and the cells that are taken."
    yield "So a table over taken cells and pieces left bounds every row, and a search goes through"
    yield "all games that the bound leaves over."
    yield ""
    yield f"The longest row of one player in each of {games:,} random games:"
    yield ""
    counts = np.trim_zeros(random_rows(games), "b")
    rows = [[f"{row}", f"{count:,}", f"{count / games:.4%}"] for row, count in enumerate(counts)]
    yield from table(["most passes in a row", "games", "share"], rows)


def decisions(games: int) -> Iterator[str]:
    """How many actions keep the margin, by ply of random games."""
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
    head = ["ply", "legal actions", "of them best", "mean size of margin", "largest"]
    yield from table(head, rows)


def grades(positions: int) -> Iterator[str]:
    """Grades of the built-in policies."""
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
    yield "# What the solution says"
    yield ""
    yield "Written by `tools/make_solution.py` (`make solution`); the standard board and pieces."
    yield "A margin is the points of a player minus the opponent's when both play perfectly."
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
    yield f"Over {games:,} positions of random games at each ply (more than one legal action):"
    yield ""
    yield from decisions(games)
    yield "## How players grade"
    yield ""
    yield f"`mijnlieff grade POLICY --positions {positions}`; regret is what is given away against"
    yield "perfect play, mean over all positions; a win turned into a loss is 2 outcomes."
    yield ""
    yield from grades(positions)


def main() -> None:
    """Write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--plies", type=int, default=6, help="count positions up to this ply")
    parser.add_argument("--games", type=int, default=2000, help="random games solved")
    parser.add_argument(
        "--random-games", type=int, default=1_000_000, help="random games searched for passes"
    )
    parser.add_argument("--positions", type=int, default=3000, help="positions of each grade")
    args = parser.parse_args()
    text = (
        "\n".join(page(args.plies, args.games, args.random_games, args.positions)).rstrip() + "\n"
    )
    PAGE.write_text(text, encoding="utf-8")
    print(text)


if __name__ == "__main__":
    main()
