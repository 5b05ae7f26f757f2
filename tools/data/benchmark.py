"""Make the benchmark positions of the package again: ``python -m tools.data.benchmark``.

The recipe, for every variant, ply, source and decisiveness (whether the legal actions differ in
outcome): games start after two random plies (four on irregular boards), the source plays both
sides, and each game gives at most one position, the one at this ply if it has two or more legal
actions. Games are played in rounds until there are as many positions as wanted. A position
that is symmetric to one taken before is left out. All seeds derive from the names, so the files are
the same byte by byte wherever they are made. A published file never changes: other positions get
another name.
"""

from __future__ import annotations

import argparse
import hashlib
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from mijnlieff import (
    Board,
    MinimaxPolicy,
    PerfectPolicy,
    Policy,
    Position,
    RandomPolicy,
    Variant,
    solve_batch,
)
from mijnlieff._mijnlieff import SEEDS
from mijnlieff.evaluation.benchmark_file import SOURCES, Entry, write_benchmark
from mijnlieff.evaluation.canonical import canonical_keys
from mijnlieff.evaluation.losses import decisive_of
from tools.data import DATA

MAX_ROUNDS = 400
EPSILON = 0.1

# Lower left corners of the blocks of each irregular board.
IRREGULAR = [
    [(0, 0), (2, 0), (4, 0), (6, 0)],
    [(0, 0), (2, 0), (4, 0), (1, 2)],
    [(0, 0), (2, 0), (4, 0), (4, 2)],
    [(0, 0), (2, 1), (4, 0), (6, 1)],
    [(0, 0), (2, 0), (3, 2), (5, 2)],
    [(0, 0), (2, 1), (1, 3), (3, 3)],
    [(2, 0), (0, 2), (2, 2), (4, 2)],
    [(0, 1), (2, 0), (2, 2), (4, 1)],
]


@dataclass(frozen=True)
class Recipe:
    """The recipe of a benchmark.

    Attributes:
        variants: the games.
        plies: the plies of the positions.
        count: positions of each variant, ply, source and decisiveness.
        opening_plies: random plies at the start of every game.
        games: games of a round.
    """

    variants: list[Variant]
    plies: range
    count: int
    opening_plies: int
    games: int


RECIPES = {
    "standard-v1": Recipe([Variant()], range(4, 16), 70, opening_plies=2, games=256),
    # Without a book, perfect play is slow before the fifth ply.
    "irregular-v1": Recipe(
        [Variant(Board.from_blocks(blocks)) for blocks in IRREGULAR],
        range(5, 15),
        4,
        opening_plies=4,
        games=32,
    ),
}


def main() -> None:
    """Write the files named on the command line, or all of them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", default=list(RECIPES), metavar="NAME")
    parser.add_argument("--out", type=Path, default=DATA, help="the folder to write to")
    args = parser.parse_args()
    for name in args.names:
        recipe = RECIPES[name]
        content = write_benchmark(recipe.variants, list(entries(name, recipe)))
        (args.out / f"{name}.bin").write_bytes(content)
        print(f"{name}: {len(content)} bytes, SHA-256 {hashlib.sha256(content).hexdigest()}")


def entries(name: str, recipe: Recipe) -> Iterator[Entry]:
    """Yield the positions of a benchmark."""
    for number in range(len(recipe.variants)):
        taken: set[bytes] = set()
        for ply, source in itertools.product(recipe.plies, range(len(SOURCES))):
            yield from bucket(name, recipe, number, ply, source, taken)


def bucket(
    name: str, recipe: Recipe, number: int, ply: int, source: int, taken: set[bytes]
) -> Iterator[Entry]:
    """Yield positions whose actions do not differ in outcome, and as many whose actions do."""
    found: dict[bool, list[Entry]] = {False: [], True: []}
    text = f"{name} {number} {ply} {source}".encode()
    first = int.from_bytes(hashlib.sha256(text).digest()[:8], "little")
    for number_of_round in range(MAX_ROUNDS):
        seed = (first + number_of_round * recipe.games) % SEEDS
        positions = play(player(source, seed), recipe, number, ply, seed)
        if not positions:
            continue
        solutions = solve_batch([position for position, _ in positions])
        legal = solutions.action_mask.astype(bool)
        decisive = decisive_of(solutions.action_margins)
        keys = canonical_keys([position for position, _ in positions])
        for i, (_, actions) in enumerate(positions):
            part = found[bool(decisive[i])]
            if len(part) < recipe.count and keys[i] not in taken:
                taken.add(keys[i])
                margins = solutions.action_margins[i][legal[i]]
                part.append(Entry(number, source, tuple(actions), tuple(margins.tolist())))
        if all(len(part) == recipe.count for part in found.values()):
            yield from found[False] + found[True]
            return
    counts = {is_decisive: len(part) for is_decisive, part in found.items()}
    raise SystemExit(f"{name}, ply {ply}, {SOURCES[source]}: found only {counts}")


def player(source: int, seed: int) -> Policy:
    """Return the policy that plays the games of a source."""
    return (RandomPolicy(seed), MinimaxPolicy(2, seed), PerfectPolicy(seed, EPSILON))[source]


def play(
    policy: Policy, recipe: Recipe, number: int, ply: int, seed: int
) -> list[tuple[Position, list[int]]]:
    """Return positions at this ply with two or more legal actions, and the actions to them."""
    games = []
    for i in range(recipe.games):
        opening = RandomPolicy((seed + i) % SEEDS)
        position, actions = Position(recipe.variants[number]), []
        for _ in range(recipe.opening_plies):
            actions.append(opening.act(position))
            position = position.play(actions[-1])
        games.append((position, actions))
    for _ in range(ply - recipe.opening_plies):
        chosen = policy.act_batch([position for position, _ in games]) if games else []
        games = [
            (position.play(int(action)), [*actions, int(action)])
            for (position, actions), action in zip(games, chosen, strict=True)
        ]
        games = [game for game in games if not game[0].is_over]
    return [game for game in games if len(game[0].legal_actions()) > 1]


if __name__ == "__main__":
    main()
