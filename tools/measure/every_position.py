"""Grade players on every position of the early plies, into docs/results/solution/players.json.

    python -m tools.measure.every_position standard.tablebase --player mine=runs/mine
    python -m tools.measure.every_position standard.tablebase --again champion

Each position of a ply counts once up to symmetry, or as often as uniformly random play reaches it.
Then no position is drawn, and nothing is left to chance: of players that draw, all probabilities
count. `mijnlieff tablebase build` makes the table. What is measured is written as it comes, and the
next call leaves it out.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mijnlieff import Policy, Position, Tablebase, load_policy, solve_batch
from mijnlieff.evaluation.canonical import canonical_keys
from tools.results import RESULTS, read_results, write_results

PLAYERS = ("random", "greedy", *(f"minimax:{depth}" for depth in range(1, 7)), "champion")
#: Positions that a player is asked about at once.
CHUNK = 1 << 14


def plies_of(start: Position, most: int) -> Iterator[tuple[list[Position], NDArray[np.float64]]]:
    """Yield the positions of each ply up to symmetry, and how likely random play reaches them."""
    level: dict[bytes, tuple[Position, float]] = {b"": (start, 1.0)}
    for ply in range(most + 1):
        positions, weights = zip(*level.values(), strict=True)
        yield list(positions), np.array(weights)
        if ply < most:
            level = _after(positions, weights)


def _after(
    positions: tuple[Position, ...], weights: tuple[float, ...]
) -> dict[bytes, tuple[Position, float]]:
    after: dict[bytes, tuple[Position, float]] = {}
    for position, weight in zip(positions, weights, strict=True):
        children = [position.play(int(action)) for action in position.legal_actions()]
        for key, child in zip(canonical_keys(children), children, strict=True):
            known, reached = after.get(key, (child, 0.0))
            after[key] = known, reached + weight / len(children)
    return after


def probabilities(policy: Policy, positions: list[Position]) -> NDArray[np.float64]:
    """Return how likely a policy chooses each action."""
    if not getattr(policy, "is_deterministic", False):
        found: Any = policy.action_probabilities(positions)  # type: ignore[attr-defined]
        return np.asarray(found, dtype=np.float64)
    chosen = np.zeros((len(positions), positions[0].variant.num_actions))
    chosen[np.arange(len(positions)), policy.act_batch(positions)] = 1
    return chosen


def grade(
    policy: Policy,
    positions: list[Position],
    weights: NDArray[np.float64],
    table: Tablebase,
) -> dict[str, list[float]]:
    """Return the grades of a policy, first under random play, then with each position once."""
    found = []
    for start in range(0, len(positions), CHUNK):
        some = positions[start : start + CHUNK]
        solved = solve_batch(some, tablebase=table)
        margins = solved.action_margins.astype(np.float64)
        best, chosen = solved.margins[:, None], probabilities(policy, some)
        kept = np.sign(margins) == np.sign(best)
        losses = best - margins, np.sign(best) - np.sign(margins)
        values = np.stack([margins == best, kept, *losses], axis=2) * 1.0
        # Actions that are not legal are never chosen.
        found.append(np.einsum("ba,bav->bv", chosen, values * solved.action_mask[:, :, None]))
    grades = np.concatenate(found)
    both = np.stack([weights @ grades, grades.mean(axis=0)])
    names = ("optimal", "kept", "regret", "outcome_regret")
    return dict(zip(names, both.T.tolist(), strict=True))


def main() -> None:
    """Grade, and write the file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("table", type=Tablebase.open, help="the file of the table")
    parser.add_argument("--plies", type=int, default=5, help="the last ply")
    parser.add_argument(
        "--player",
        action="append",
        default=[],
        metavar="NAME=POLICY",
        help="another player, and what load_policy reads",
    )
    parser.add_argument("--again", action="append", default=[], help="a player to grade once more")
    parser.add_argument("--results", type=Path, default=RESULTS / "solution")
    args = parser.parse_args()
    players = dict(zip(PLAYERS, PLAYERS, strict=True))
    players |= dict(given.split("=", 1) for given in args.player)
    file = args.results / "players.json"
    content: dict[str, Any] = read_results(file)
    for name in args.again:
        if name not in players:
            parser.error(f"--again {name}: give what it is by --player, or one of {PLAYERS}")
        content.pop(name, None)
    for ply, (positions, weights) in enumerate(plies_of(Position(), args.plies)):
        for name, text in players.items():
            grades: list[dict[str, list[float]]] = content.setdefault(name, [])
            if len(grades) == ply:
                grades.append(grade(load_policy(text), positions, weights, args.table))
                write_results(file, content)


if __name__ == "__main__":
    main()
