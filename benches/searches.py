"""Cases of `benches.speed`: tree searches, self-play and the solver."""

from __future__ import annotations

import time
from importlib.resources import files

import numpy as np

from benches.games import BOARDS, Found
from mijnlieff import ChampionPolicy, Position, SelfPlay, TreeSearch, Variant
from mijnlieff._mijnlieff import Solver
from mijnlieff.cli.bench import Searches, margins_by_minimax, solutions
from mijnlieff.cli.timing import Measured, Work, measure, timed
from mijnlieff.encoding import mask_batch, observe_batch
from mijnlieff.evaluation import random_openings
from mijnlieff.policies.searches import search_with

TABLE_BYTES = 1 << 26
BATCH = 1000
LATENCIES = 200
START = Position()
MARGIN_WEIGHT = 0.5
SIMULATIONS = 32
SELF_PLAY_GAMES = 256
#: The most empty cells of roots and of leaves that are solved, by name.
MODES = {"exact": (9, 8), "9/9": (9, 9), "9/7": (9, 7), "pure": (0, 0)}


def searches(seconds: float) -> Found:
    """Simulations beside NumPy copying the observation, mask and logits of as many leaves."""
    found: Found = {}
    for root in ("puct", "gumbel"):
        one, two = (Searches(Variant(), root, num_threads=threads) for threads in (1, 2))
        copying = f"leaves copied, {root}"
        works = [
            one.copies(copying),
            one.work(root, copying),
            two.work(f"{root}, 2 threads", root),
        ]
        if root == "puct":
            games = Searches(Variant(), root, with_rollouts=True)
            works.append(games.work(f"{root} with random games", root))
        else:
            by_policy = Searches(Variant(), root, backup="policy")
            works.append(by_policy.work(f"{root}, backed up by policy", root))
        found |= measure(works, seconds)
        found |= phases(root, one, found[root])
    standard, *larger = BOARDS.items()
    works = [Searches(standard[1], "gumbel").work(f"gumbel, {standard[0]}")]
    works += [
        Searches(variant, "gumbel").work(f"gumbel, {name}", works[0].name)
        for name, variant in larger
    ]
    return found | measure(works, seconds)


def phases(root: str, searches: Searches, found: Measured) -> Found:
    """The time of each phase of a search beside the whole."""
    labels = np.array(searches.phases)
    return {
        name: Measured(Work(name, found.work.count, list, root), found.parts[labels == phase])
        for phase in dict.fromkeys(searches.phases)
        for name in [f"{root}: {phase}"]
    }


def self_play(seconds: float) -> Found:
    """Native self-play with the champion's network beside a loop in Python over the same search."""
    found: Found = {}
    for number, (mode, below) in enumerate(MODES.items()):
        game = SelfPlayGames(*below, seed=1000 * number)
        loop = f"{mode}, loop in Python"
        works = [
            Work(loop, SELF_PLAY_GAMES, game.play_in_python),
            Work(f"{mode}, native", SELF_PLAY_GAMES, game.play_natively, loop),
        ]
        if mode == "pure":
            game = SelfPlayGames(*below, seed=1000 * number, backup="policy")
            name = "pure, native, backed up by policy"
            works.append(Work(name, SELF_PLAY_GAMES, game.play_natively, works[-1].name))
        found |= measure(works, seconds)
    return found


class SelfPlayGames:
    """Games of the same settings, native and by a loop over `TreeSearch`.

    The loop keeps neither trees nor evaluations, and it solves leaves with as many empty cells as
    roots. Seeds never repeat: positions that the solver has met before cost it nothing. Times are
    of the processor, as other games have no least time of each part.
    """

    def __init__(
        self, roots_below: int, leaves_below: int, seed: int, backup: str = "mean"
    ) -> None:
        """Make the network and the native games."""
        self._network = ChampionPolicy().model
        self._roots_below, self._seed = roots_below, seed
        self._native = SelfPlay(
            self._network,
            num_games=SELF_PLAY_GAMES,
            num_simulations=SIMULATIONS,
            margin_weight=MARGIN_WEIGHT,
            solve_roots_below=roots_below,
            solve_leaves_below=leaves_below,
            max_considered=8,
            c_scale=0.2,
            backup=backup,
            seed=seed,
            num_threads=1,
        )

    def play_natively(self) -> list[float]:
        """Play games and return the seconds of the processor."""
        begin = time.process_time()
        self._native.play(SELF_PLAY_GAMES)
        return [time.process_time() - begin]

    def play_in_python(self) -> list[float]:
        """Play as many games by the loop and return the seconds of the processor."""
        self._seed += 1
        begin = time.process_time()
        self._loop(np.random.default_rng(self._seed))
        return [time.process_time() - begin]

    def _loop(self, rng: np.random.Generator) -> None:
        positions = [Position()] * SELF_PLAY_GAMES
        for game, plies in enumerate(rng.integers(5, size=SELF_PLAY_GAMES).tolist()):
            for _ in range(plies):
                position = positions[game]
                positions[game] = position.play(int(rng.choice(position.legal_actions())))
        samples = []
        while positions:
            masks = mask_batch(positions)
            free = np.flatnonzero(masks[:, -1] == 0)
            actions = np.full(len(positions), positions[0].variant.pass_action)
            if len(free):
                chosen = [positions[game] for game in free]
                search = TreeSearch(
                    chosen,
                    SIMULATIONS,
                    seed=int(rng.integers(2**63)),
                    num_threads=1,
                    max_considered=8,
                    c_scale=0.2,
                    margin_weight=MARGIN_WEIGHT,
                    solve_roots_below=self._roots_below,
                    solve_leaves_below=self._roots_below,
                )
                search_with(self._evaluate, search)
                actions[free] = search.actions
                samples.append((observe_batch(chosen, "flat", "uint8"), search.policy_targets))
            moved = zip(positions, actions.tolist(), strict=True)
            positions = [position.play(action) for position, action in moved]
            positions = [position for position in positions if not position.is_over]

    def _evaluate(self, observations: np.ndarray, _: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        return self._network.evaluate(observations, num_threads=1)


def solver(seconds: float) -> Found:
    """The margin of every action, beside a search of every action to the end without a table."""
    few = random_openings(10, 6, seed=8)
    works = [
        margins_by_minimax("minimax, ply 6", few),
        solutions("solver without the book, ply 6", few, 1, "minimax, ply 6"),
    ]
    return measure(works, seconds) | with_book(seconds) | many(seconds)


def with_book(seconds: float) -> Found:
    """Loading the book, and positions that it answers or that come right after it."""
    book = files("mijnlieff").joinpath("data", "book.bin")
    loaded = Solver(Variant(), TABLE_BYTES, book.read_bytes())
    scratch = "empty board, without the book"
    works = [
        Work("the book, read", 1, lambda: [timed(book.read_bytes)]),
        Work(
            "the book, loaded with an empty table",
            1,
            lambda: [timed(Solver, Variant(), TABLE_BYTES, book.read_bytes())],
            "the book, read",
        ),
        Work(scratch, 1, lambda: [timed(Solver(Variant(), TABLE_BYTES).solve, START)]),
        Work("empty board, with the book", 1, lambda: [timed(loaded.solve, START)], scratch),
    ]
    found = measure(works, seconds)
    for ply in (5, 6):
        later = random_openings(LATENCIES, ply, seed=9)

        def one_by_one(later: list[Position] = later) -> list[float]:
            solver = Solver(Variant(), TABLE_BYTES, book.read_bytes())
            return [timed(solver.solve, position) for position in later]

        name = f"ply {ply}, with the book"
        found |= measure([Work(name, LATENCIES, one_by_one, scratch)], seconds)
        slowest = np.sort(found[name].parts)[[LATENCIES * 99 // 100, -1]]
        for which, time_of_it in zip(("99th percentile", "slowest"), slowest, strict=True):
            line = f"{name}: {which}"
            found[line] = Measured(Work(line, 1, list, scratch), np.array([time_of_it]))
    return found


def many(seconds: float) -> Found:
    """Many positions at once, on one thread and on two, beside a loop."""
    count = BATCH // 10
    sample = [it for ply in range(6, 16) for it in random_openings(count, ply, seed=ply)]
    one, two = "solve_batch, plies 6 to 15", "solve_batch, plies 6 to 15, 2 threads"

    def loop() -> list[float]:
        solver = Solver(Variant(), TABLE_BYTES)
        return [timed(lambda: [solver.solve(position) for position in sample])]

    works = [
        Work("loop of solve, plies 6 to 15", len(sample), loop),
        solutions(one, sample, 1, "loop of solve, plies 6 to 15"),
        solutions(two, sample, 2, one),
    ]
    return measure(works, seconds)
