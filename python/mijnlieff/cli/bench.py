"""``mijnlieff bench``: the speed of steps, tree searches and the solver on this machine."""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import (
    MAX_ENVS,
    MinimaxPolicy,
    Position,
    SearchOptions,
    Solver,
    TreeSearch,
    Variant,
    observe_batch,
    random_openings,
)
from mijnlieff.cli.options import add_variant_arguments, integer, variant_of
from mijnlieff.cli.timing import Work, copies, line, measure, timed
from mijnlieff.envs.vector import VectorEnv

__all__ = [
    "EXAMPLES",
    "Searches",
    "Steps",
    "add_arguments",
    "at_all_stages",
    "endings",
    "margins_by_minimax",
    "run",
    "solutions",
]

EXAMPLES = ("--milliseconds 100", "--num-envs 64 --milliseconds 20")

_STEPS = 64
"""Parts of the work of a batch of games."""

_TREES, _SIMULATIONS, _PLIES = 1024, 32, 4
"""Trees, their simulations, and the random plies before a search."""

_SOLVED, _EMPTY, _TABLE_BYTES = 64, 8, 1 << 26
"""Positions that are solved, their empty cells, and the table of the solver."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the options."""
    parser.add_argument(
        "--num-envs",
        type=integer(1, MAX_ENVS),
        default=4096,
        help="games that step together (default: %(default)s)",
    )
    parser.add_argument(
        "--num-threads", type=integer(1, 1024), default=1, help="threads (default: %(default)s)"
    )
    parser.add_argument(
        "--milliseconds",
        type=integer(1),
        default=500,
        help="time to measure for each line (default: %(default)s)",
    )
    add_variant_arguments(parser)


def run(args: argparse.Namespace) -> None:
    """Measure, and print a line for each of the three.

    Raises:
        VariantError: the number of copies is out of range.
    """
    variant, threads = variant_of(args), args.num_threads
    steps = Steps(args.num_envs, variant, num_threads=threads, copy=False)
    searches = Searches(variant, "gumbel", num_threads=threads)
    late = endings(variant, _SOLVED)
    minimax = "minimax without a table"
    written, leaves = "NumPy copying what they write", "NumPy copying leaves"
    works = [
        steps.copies(written),
        steps.work("steps", written),
        searches.copies(leaves),
        searches.work("simulations", leaves),
    ]
    if late:
        works += [
            margins_by_minimax(minimax, late),
            solutions(f"positions with {_EMPTY} empty cells", late, threads, minimax),
        ]
    print(
        f"{args.num_envs} games that step together, {_TREES} trees of {_SIMULATIONS} simulations "
        "with a network that\ntakes no time, and the margin of every action of late positions, on "
        f"{threads} thread{'s' * (threads > 1)}.\n"
        "Each line ends with a reference on one thread, measured in turns with it.\n"
    )
    found = measure(works, args.milliseconds / 1000)
    for one in found.values():
        if one.work.beside is not None:
            print(line(one, found[one.work.beside]))
    if not late:
        print(f"no game of this variant gets to {_EMPTY} empty cells, so none is solved")


class Steps:
    """A batch whose games are at all stages, with recorded actions that it plays again and again.

    Args:
        size: number of games.
        variant: the variant to play, None with the option `variants`.
        options: options of `VectorEnv`.

    Attributes:
        env: the batch.
        row_bytes: the bytes of an observation and a mask.
        ended: the share of games that end in each step.
    """

    def __init__(self, size: int, variant: Variant | None = None, **options: Any) -> None:
        """Record the actions."""
        self.env = VectorEnv(size, variant, **options)
        self._start = at_all_stages(size, variant, options.get("variants"))
        # A step of few games is too short for the clock.
        self._together = max(1, 256 // size)
        observations, info = self._restart()
        self._arrays = [observations, info["action_mask"], np.zeros(size, np.float32)]
        self.row_bytes = sum(array.nbytes for array in self._arrays[:2]) // size
        self._recorded, self.ended = [], []
        for _ in range(_STEPS * self._together):
            self._recorded.append(self.env.sample_actions())
            self.ended.append(float(self.env.step(self._recorded[-1])[2].mean()))

    def work(self, name: str, beside: str | None = None, size: float = 1.0) -> Work:
        """Return the work of stepping, without drawing the actions."""
        return Work(name, self.env.num_envs * len(self._recorded), self._play, beside, size)

    def drawn(self, name: str, beside: str | None = None, *, steps: bool) -> Work:
        """Return the work of drawing actions, and also of stepping with `steps`."""

        def play() -> list[float]:
            self._restart()
            taken = []
            for _ in self._recorded:
                begin = time.perf_counter()
                actions = self.env.sample_actions()
                middle = time.perf_counter()
                self.env.step(actions)
                taken.append((time.perf_counter() if steps else middle) - begin)
            return taken

        return Work(name, self.env.num_envs * len(self._recorded), play, beside)

    def copies(self, name: str, num_threads: int = 1, beside: str | None = None) -> Work:
        """Return the work of copying what a step writes."""
        return copies(name, self.env.num_envs, self._arrays, num_threads, beside)

    def _play(self) -> list[float]:
        self._restart()
        taken = []
        for first in range(0, len(self._recorded), self._together):
            # As fresh in the cache as if they had just been chosen.
            actions = [one.copy() for one in self._recorded[first : first + self._together]]
            begin = time.perf_counter()
            for chosen in actions:
                self.env.step(chosen)
            taken.append(time.perf_counter() - begin)
        return taken

    def _restart(self) -> tuple[Any, dict[str, Any]]:
        self.env.reset(seed=0)
        return self.env.set_positions(self._start)


@lru_cache(maxsize=4)
def at_all_stages(
    size: int, variant: Variant | None = None, variants: tuple[Variant, ...] | None = None
) -> list[Position]:
    """Return positions of random games at all stages; the first games of a batch end together."""
    env = VectorEnv(size, variant, variants=variants, num_threads=1)
    env.reset(seed=0)
    for _ in range(192):
        env.step(env.sample_actions())
    return env.positions()


class Searches:
    """Searches from positions after some random plies, with a network that takes no time.

    Args:
        variant: the variant of the positions.
        root: ``"puct"`` or ``"gumbel"``.
        num_threads: threads of the search.
        backup: how values are backed up, see `SearchOptions`.
        with_rollouts: evaluate leaves by random games instead.

    Attributes:
        phases: what each part is: restart, select, update or results; known after the first play.
    """

    def __init__(
        self,
        variant: Variant,
        root: str,
        *,
        num_threads: int = 1,
        backup: str = "mean",
        with_rollouts: bool = False,
    ) -> None:
        """Make the trees, and the outputs of the network."""
        # A tree restarted at the same position keeps its nodes, so two sets of positions alternate.
        self._sets = [random_openings(_TREES, _PLIES, variant, seed=seed) for seed in (0, 1)]
        options = SearchOptions(_SIMULATIONS, root, backup=backup)
        self._search = TreeSearch(self._sets[1], options, num_threads=num_threads)
        self._with_rollouts = with_rollouts
        generator = np.random.default_rng(0)
        logits = generator.normal(size=(_TREES, variant.num_actions))
        self._logits = logits.astype(np.float32)
        self._values = np.tanh(generator.normal(size=_TREES)).astype(np.float32)
        self._leaves: list[NDArray[Any]] = [
            observe_batch(self._sets[0], "flat"),
            np.zeros(logits.shape, np.int8),
            self._logits,
        ]
        self.phases: list[str] = []
        self._run(self._sets[1])  # allocates the memory

    def work(self, name: str, beside: str | None = None) -> Work:
        """Return the work of searching, whose units are simulations."""
        return Work(name, _TREES * _SIMULATIONS, self._play, beside)

    def copies(self, name: str) -> Work:
        """Return the work of copying the observations, masks and logits of leaves."""
        return copies(name, _TREES, self._leaves)

    def _play(self) -> list[float]:
        taken = self._run(self._sets[0])
        self._run(self._sets[1])
        return taken

    def _run(self, positions: Sequence[Position]) -> list[float]:
        search = self._search
        passes = [("restart", timed(search.restart, positions))]
        if self._with_rollouts:
            passes.append(("update", timed(search.run_with_rollouts)))
        else:
            while True:
                begin = time.perf_counter()
                batch = search.select()
                passes.append(("select", time.perf_counter() - begin))
                if batch is None:
                    break
                rows = slice(len(batch))
                seconds = timed(search.update, self._logits[rows], self._values[rows])
                passes.append(("update", seconds))
        passes.append(("results", timed(lambda: (search.actions, search.policy_targets))))
        self.phases = [phase for phase, _ in passes]
        return [seconds for _, seconds in passes]


def endings(variant: Variant, count: int) -> list[Position]:
    """Return positions of random games with few empty cells, at most `count`."""
    stones = 8 * variant.copies
    games = at_all_stages(4096, variant)
    empty = [variant.board.num_cells - stones + int(game.hands.sum()) for game in games]
    late = [game for game, cells in zip(games, empty, strict=True) if cells == _EMPTY]
    return late[:count]


def solutions(
    name: str, positions: Sequence[Position], num_threads: int = 1, beside: str | None = None
) -> Work:
    """Return the work of solving positions, every action of each, with an empty table."""

    def play() -> list[float]:
        solver = Solver(positions[0].variant, _TABLE_BYTES)
        return [timed(solver.solve_batch, positions, num_threads)]

    return Work(name, len(positions), play, beside)


def margins_by_minimax(name: str, positions: Sequence[Position]) -> Work:
    """Return the work of searching every action of positions to the end, without a table."""
    minimax = MinimaxPolicy(64)
    children = [
        [position.play(action) for action in position.legal_actions()] for position in positions
    ]
    open_games = [[child for child in each if not child.is_over] for each in children]

    def play() -> list[float]:
        return [timed(minimax.act_batch, each) if each else 0.0 for each in open_games]

    return Work(name, len(positions), play)
