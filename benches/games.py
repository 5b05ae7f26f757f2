"""Cases of `benches.speed`: steps of games."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from mijnlieff import Board, Canvas, Position, Variant, functional
from mijnlieff.cli.bench import Steps, at_all_stages
from mijnlieff.cli.timing import Measured, Work, measure, timed
from mijnlieff.envs import rollout

GAMES = 4096
SIZES = (1, 64, 1024, 2048, 4096, 16384, 65536)
KINDS = {
    "flat float32": {},
    "flat uint8": {"dtype": "uint8"},
    "planes float32": {"observation": "planes"},
    "planes uint8": {"observation": "planes", "dtype": "uint8"},
    "packed": {"observation": "packed"},
}
Found = dict[str, Measured]


def started(games: int, variant: Variant | None = None, **options: Any) -> Steps:
    """Return a batch with its own arrays, on one thread unless the options say more."""
    return Steps(games, variant, **{"num_threads": 1, "copy": False, **options})


def full(width: int, height: int) -> Board:
    """Return a rectangular board."""
    return Board.from_text("\n".join(["#" * width] * height))


def steps(seconds: float) -> Found:
    """Steps with every kind of observation beside NumPy copying the same bytes; drawing actions."""
    found: Found = {}
    for kind, options in KINDS.items():
        batch, copying = started(GAMES, **options), f"copying {kind}"
        works = [batch.copies(copying), batch.work(kind, copying)]
        if not options:
            works += [
                started(GAMES, copy=True).work("flat float32, copy=True", copying),
                batch.drawn("actions drawn", kind, steps=False),
                batch.drawn("actions drawn and steps", kind, steps=True),
                rollouts("actions of mijnlieff.envs.rollout", kind),
            ]
        found |= measure(works, seconds)
        if not options:
            found |= ends(batch, found[kind])
    return found


def ends(batch: Steps, found: Measured) -> Found:
    """What the end of a game adds to a step: a line through the times over the games that end."""
    each = found.parts * len(found.parts) / found.work.count
    slope, start = np.polyfit(batch.ended, each, 1)
    names = {"a step without an end": start, "what the end of a game adds": slope}
    return {
        name: Measured(Work(name, 1, list, found.work.name), np.array([time]))
        for name, time in names.items()
    }


def rollouts(name: str, beside: str) -> Work:
    """Return the work of playing whole games at random, which gives only their results."""
    start = [Position()]
    plies = int(rollout(start, GAMES, num_threads=1)[1].sum())

    def play() -> list[float]:
        return [timed(lambda: rollout(start, GAMES, num_threads=1))]

    return Work(name, plies, play, beside)


def sizes(seconds: float) -> Found:
    """Steps of few and of many games beside NumPy copying the same bytes."""
    found: Found = {}
    for games in SIZES:
        batch, copying = started(games), f"copying {games}"
        found |= measure([batch.copies(copying), batch.work(f"{games} games", copying)], seconds)
    return found


def threads(seconds: float) -> Found:
    """Two threads beside one: steps, and NumPy copying the same bytes without waiting."""
    found: Found = {}
    for games in (2048, GAMES, 16384):
        one, two = started(games), started(games, num_threads=2)
        copying, stepping = (f"{games} games {what}, 1 thread" for what in ("copied", "stepped"))
        works = [
            one.copies(copying),
            one.copies(f"{games} games copied, 2 threads", 2, copying),
            one.work(stepping, copying),
            two.work(f"{games} games stepped, 2 threads", stepping),
        ]
        found |= measure(works, seconds)
    return found


def opponents(seconds: float) -> Found:
    """Steps of an agent against built-in opponents beside self-play."""
    works = [started(GAMES).work("self-play")]
    works += [
        started(GAMES, opponent=name).work(f"against {name}", "self-play")
        for name in ("random", "greedy", "minimax:2")
    ]
    return measure(works, seconds)


#: The boards by name, the standard one first.
BOARDS = {
    "16 cells": Variant(),
    "16 cells, 4 copies": Variant(copies=4),
    "20 cells": Variant(full(4, 5)),
    "20 cells in a box of 6x6": Variant(
        Board.from_text("..####\n..####\n####..\n####..\n..##..\n..##.."), copies=3
    ),
    "32 cells, 4 copies": Variant(full(8, 4), copies=4),
    "64 cells, 8 copies": Variant(full(8, 8), copies=8),
}
FOUR_BLOCKS = tuple(Variant(board) for board in Board.arrangements(4))
#: So few that the rows of all boards fit into the second cache of usual processors.
FEW = 256
MIXED = 1024


def boards(seconds: float) -> Found:
    """Steps on boards of all sizes; ratios are of the bytes written, to the standard board's."""
    found: Found = {}
    for kind, options in KINDS.items():
        if kind == "packed":
            continue
        batches = {name: started(FEW, variant, **options) for name, variant in BOARDS.items()}
        if "observation" in options:
            shared = {"canvas": Canvas.around(FOUR_BLOCKS), **options}
            one = FOUR_BLOCKS[len(FOUR_BLOCKS) // 2]
            batches["one on a canvas"] = started(FEW, variants=(one,), **shared)
            batches["all on that canvas"] = started(FEW, variants=FOUR_BLOCKS, **shared)
        standard, *others = (f"{kind}, {name}" for name in batches)
        works = [
            batch.work(name, None if name == standard else standard, batch.row_bytes)
            for name, batch in zip((standard, *others), batches.values(), strict=True)
        ]
        found |= measure(works, seconds)
    return found


def mixed(seconds: float) -> Found:
    """A batch in which every game has its own board beside batches of one board on that canvas."""
    several = {
        "12 boards of four blocks": FOUR_BLOCKS[::5],
        "12 boards of 4 to 15 blocks": tuple(
            Variant(Board.random(blocks, 1), copies=blocks // 2) for blocks in range(4, 16)
        ),
    }
    found: Found = {}
    for name, variants in several.items():
        games = at_all_stages(MIXED, variants=variants)
        shares = [sum(game.variant == it for game in games) / MIXED for it in variants]
        for dtype in ("float32", "uint8"):
            options = {"canvas": Canvas.around(variants), "dtype": dtype}
            each = [started(MIXED, variants=(it,), **options).work("") for it in variants]
            together = started(MIXED, variants=variants, **options)
            alone = f"{name}, {dtype}, alone"
            works = [
                Work(alone, each[0].count, weighted(each, shares)),
                together.work(f"{name}, {dtype}, mixed", alone),
            ]
            found |= measure(works, seconds)
    return found


def weighted(works: Sequence[Work], weights: Sequence[float]) -> Callable[[], list[float]]:
    """Return what does the work one after the other and gives the mean of its times."""
    pairs = list(zip(works, weights, strict=True))
    return lambda: [weight * seconds for work, weight in pairs for seconds in work.play()]


def functions(seconds: float) -> Found:
    """Functions of `mijnlieff.functional` beside `VectorEnv.step`, which does the work of three."""
    batch = started(GAMES)
    states = functional.from_positions(batch.env.positions())
    actions = batch.env.sample_actions()

    def step() -> Any:
        return functional.step(states, actions, num_threads=1)[0]

    def all_three() -> None:
        following = step()
        functional.legal_mask(following, num_threads=1)
        functional.observe(following, num_threads=1)

    works = {
        "step": step,
        "legal_mask": lambda: functional.legal_mask(states, num_threads=1),
        "observe": lambda: functional.observe(states, num_threads=1),
        "all three": all_three,
    }
    return measure(
        [
            batch.work("VectorEnv.step"),
            *(
                Work(name, GAMES, lambda work=work: [timed(work)], "VectorEnv.step")
                for name, work in works.items()
            ),
        ],
        seconds,
    )
