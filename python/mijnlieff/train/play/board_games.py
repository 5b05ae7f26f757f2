"""Self-play on many boards: each game has its own, and one network evaluates them all.

Every decision is made by the exact solver where few cells are empty, and by a tree search before.
"""

from __future__ import annotations

import copy
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from mijnlieff._mijnlieff import (
    SEEDS,
    Canvas,
    Position,
    TreeSearch,
    Variant,
    mask_batch,
    observe_batch,
    own_actions,
    random_openings,
)
from mijnlieff.policies.mcts import search_value
from mijnlieff.solving import solvers_for
from mijnlieff.train.boards import Boards
from mijnlieff.train.config import TrainConfig
from mijnlieff.train.network.canvas import CanvasNetwork
from mijnlieff.train.play.samples import BoardSamples, SearchGames
from mijnlieff.train.play.symmetric_boards import SymmetricBoards
from mijnlieff.train.play.threaded import ThreadedGames

__all__ = ["BoardGames", "Evaluate", "canvas_evaluator"]

Evaluate = Callable[[NDArray[np.float32], NDArray[np.int8]], tuple[Any, Any]]

_TIES = 1e-6
"""The least temperature, in points: with it equally good actions are equally likely."""
_MOST_AT_ONCE = 512
"""Positions that the network evaluates at once; more would not fit the processor's caches."""


def canvas_evaluator(network: CanvasNetwork, margin_weight: float) -> Evaluate:
    """The network with its current weights, as an evaluator for tree searches.

    Args:
        network: the network; later training does not change the evaluator.
        margin_weight: share of the margin in a value, as in `TreeSearch`.

    Returns:
        A function of observations on the network's canvas and of masks, which it ignores. It
        returns logits and values.
    """
    frozen = copy.deepcopy(network).requires_grad_(False)

    def evaluate(
        observations: NDArray[np.float32], _masks: NDArray[np.int8]
    ) -> tuple[torch.Tensor, torch.Tensor]:
        with torch.no_grad():
            found = [
                frozen(part.to(frozen.device))
                for part in torch.split(torch.from_numpy(observations), _MOST_AT_ONCE)
            ]
            logits = torch.cat([logits for logits, _ in found])
            values = torch.cat([values for _, values in found])
            return logits.cpu(), search_value(values, margin_weight).cpu()

    return evaluate


@dataclass(slots=True)
class _Decisions:
    """Decisions of one ply, padded as in `BoardSamples`, and which games they are from."""

    games: NDArray[np.int64]
    to_play: NDArray[np.int64]
    observations: NDArray[np.uint8]
    masks: NDArray[np.int8]
    policies: NDArray[np.float32]
    margins: NDArray[np.int64] | None
    actions: NDArray[np.int64]


@dataclass(slots=True)
class _Round:
    """The games of a round.

    Attributes:
        boards: int64 `(G,)`, the number of each game's variant.
        games: their positions.
        decisions: so far, in the order in which they were made.
        steps: actions played so far.
        simulations: of all searches.
        evaluations: positions that the network evaluated.
    """

    boards: NDArray[np.int64]
    games: list[Position]
    steps: int
    decisions: list[_Decisions] = field(default_factory=list)
    simulations: int = 0
    evaluations: int = 0


class BoardGames(ThreadedGames):
    """Plays rounds in a thread, while the learner learns; a `GameSource`."""

    def __init__(self, boards: Boards, config: TrainConfig, generator: torch.Generator) -> None:
        """Make the solvers.

        Args:
            boards: each game is on one of the seen boards, each equally likely.
            config: the settings of the run.
            generator: draws the seed of each round.
        """
        super().__init__(generator)
        self.turned = SymmetricBoards(boards.seen, boards.side)
        self._variants = boards.seen
        self._canvas = Canvas(boards.side, boards.side)
        self._config = config
        self._solvers = solvers_for(boards.seen)
        self._most_random = [config.random_plies] * len(boards.seen)
        self._columns = [_columns(one, self.turned.cells) for one in boards.seen]
        self._on_canvas = [self._canvas.actions(one) for one in boards.seen]
        self._stopped = False

    def new_round(
        self, network: CanvasNetwork, seed: int
    ) -> tuple[Callable[[], SearchGames], Callable[[], None]]:
        """See `ThreadedGames.new_round`; a round stops after the ply that is being played."""
        self._stopped = False
        evaluate = canvas_evaluator(network, self._config.margin_weight)
        return partial(self.play, evaluate, seed), self._stop_round

    def _stop_round(self) -> None:
        self._stopped = True

    def play(self, evaluate: Evaluate, seed: int) -> SearchGames:
        """Play `config.num_envs` games to their end.

        Args:
            evaluate: see `canvas_evaluator`.
            seed: of the boards, openings, searches and draws.

        Raises:
            PolicyError: an evaluation is not finite.
            RuntimeError: `abandon` was called.
        """
        began = time.monotonic()
        rng = np.random.default_rng(seed)
        played = self._open(rng)
        while running := [i for i, game in enumerate(played.games) if not game.is_over]:
            if self._stopped:
                raise RuntimeError("the round was abandoned")
            self._play_ply(played, running, evaluate, rng)
        return SearchGames(
            samples=self._samples(played),
            steps=played.steps,
            games=len(played.games),
            simulations=played.simulations,
            evaluations=played.evaluations,
            solved=sum(len(made.games) for made in played.decisions if made.margins is not None),
            seconds=time.monotonic() - began,
        )

    def _open(self, rng: np.random.Generator) -> _Round:
        """Games on random boards after 0 to `random_plies` random turns."""
        count = self._config.num_envs
        boards = rng.integers(len(self._variants), size=count)
        shares = rng.random(count)
        games: list[Position] = []
        for board, share in zip(boards.tolist(), shares.tolist(), strict=True):
            seed = int(rng.integers(SEEDS, dtype=np.uint64))
            games.append(self._opening(board, share, seed))
        return _Round(boards, games, steps=sum(game.ply for game in games))

    def _opening(self, board: int, share: float, seed: int) -> Position:
        while True:
            most = self._most_random[board]
            try:
                plies = int(share * (most + 1))
                return random_openings(1, plies, self._variants[board], seed)[0]
            except ValueError:  # games on this board end sooner
                self._most_random[board] = plies - 1

    def _play_ply(
        self,
        played: _Round,
        running: Sequence[int],
        evaluate: Evaluate,
        rng: np.random.Generator,
    ) -> None:
        """Play one action in each of these games."""
        actions = np.full(len(played.games), -1, dtype=np.int64)
        to_search, to_solve = [], []
        for i in running:
            game = played.games[i]
            legal = game.legal_actions()
            if len(legal) == 1:
                actions[i] = legal[0]
            elif (game.stones == 0).sum() <= self._config.solve_roots_below:
                to_solve.append(i)
            else:
                to_search.append(i)
        for made in (
            *self._solve(played, to_solve, rng),
            *self._search(played, to_search, evaluate, rng),
        ):
            played.decisions.append(made)
            actions[made.games] = made.actions
        for i in running:
            played.games[i] = played.games[i].play(int(actions[i]))
        played.steps += len(running)

    def _solve(
        self, played: _Round, games: list[int], rng: np.random.Generator
    ) -> list[_Decisions]:
        made = []
        for board, rows in _by_board(played.boards, games):
            positions = [played.games[i] for i in rows]
            margins, of_actions, masks = self._solvers[board].solve_batch(positions, 1)
            lost = np.where(masks == 1, margins[:, None] - of_actions.astype(np.int64), np.inf)
            best = (lost == 0).astype(np.float32)
            policies = best / best.sum(axis=1, keepdims=True)
            # The largest of values with Gumbel noise is a draw from their softmax.
            noise = max(self._config.solved_temperature, _TIES) * rng.gumbel(size=lost.shape)
            actions = (noise - lost).argmax(axis=1)
            made.append(self._decisions(board, rows, positions, masks, policies, margins, actions))
        return made

    def _search(
        self, played: _Round, games: list[int], evaluate: Evaluate, rng: np.random.Generator
    ) -> list[_Decisions]:
        if not games:
            return []
        config = self._config
        search = TreeSearch(
            [played.games[i] for i in games],
            config.search_options,
            canvas=self._canvas,
            seed=int(rng.integers(2**62)),
            num_threads=1,
        )
        while (leaves := search.select()) is not None:
            played.evaluations += len(leaves)
            search.update(*evaluate(leaves.observation, leaves.action_mask))
        played.simulations += config.num_simulations * len(games)
        targets = search.policy_targets
        actions = own_actions([played.games[i] for i in games], search.actions, self._canvas)
        row_of = {game: row for row, game in enumerate(games)}
        made = []
        for board, rows in _by_board(played.boards, games):
            positions = [played.games[i] for i in rows]
            at = np.array([row_of[i] for i in rows])
            policies = targets[at][:, self._on_canvas[board]]
            masks = mask_batch(positions)
            made.append(self._decisions(board, rows, positions, masks, policies, None, actions[at]))
        return made

    def _decisions(
        self,
        board: int,
        games: list[int],
        positions: list[Position],
        masks: NDArray[np.int8],
        policies: NDArray[np.float32],
        margins: NDArray[np.int16] | None,
        actions: NDArray[np.int64],
    ) -> _Decisions:
        """Decisions on one board, padded to the size of the largest."""
        of_cells, of_actions = self._columns[board]
        count = len(positions)
        padded = _Decisions(
            games=np.array(games),
            to_play=np.array([position.to_play for position in positions]),
            observations=np.zeros((count, self.turned.num_features), dtype=np.uint8),
            masks=np.zeros((count, self.turned.num_actions), dtype=np.int8),
            policies=np.zeros((count, self.turned.num_actions), dtype=np.float32),
            margins=None if margins is None else margins.astype(np.int64),
            actions=actions,
        )
        padded.observations[:, of_cells] = observe_batch(positions, "flat", "uint8")
        padded.masks[:, of_actions] = masks
        padded.policies[:, of_actions] = policies
        return padded

    def _samples(self, played: _Round) -> BoardSamples:
        """All decisions with their results.

        Where the solver did not know the result, it is that of the first position that it knew, and
        the end of the game otherwise.
        """
        light = np.array([game.margin for game in played.games], dtype=np.int64)
        for made in reversed(played.decisions):
            if made.margins is not None:
                light[made.games] = np.where(made.to_play == 0, made.margins, -made.margins)
        boards, values = [], []
        for made in played.decisions:
            margins = made.margins
            if margins is None:
                known = light[made.games]
                margins = np.where(made.to_play == 0, known, -known)
            boards.append(played.boards[made.games])
            values.append(np.stack([np.sign(margins), margins], axis=1).astype(np.float32))
        parts = played.decisions
        return BoardSamples(
            np.concatenate(boards),
            np.concatenate([part.observations for part in parts]),
            np.concatenate([part.masks for part in parts]),
            np.concatenate([part.policies for part in parts]).astype(np.float16),
            np.concatenate(values),
        )


def _columns(variant: Variant, cells: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Where the entries of a flat observation, and the actions, go in padded ones."""
    own = np.arange(variant.board.num_cells)
    observation = [own + part * cells for part in range(3)] + [3 * cells + np.arange(8)]
    actions = [own + part * cells for part in range(4)] + [np.array([4 * cells])]
    return np.concatenate(observation), np.concatenate(actions)


def _by_board(boards: NDArray[np.int64], games: list[int]) -> list[tuple[int, list[int]]]:
    """The games on each board, boards in order."""
    groups: dict[int, list[int]] = {}
    for i in games:
        groups.setdefault(int(boards[i]), []).append(i)
    return sorted(groups.items())
