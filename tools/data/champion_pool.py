"""The positions that a champion meets in games against every opponent, with their exact answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import torch
from numpy.typing import NDArray

from mijnlieff import NetworkPolicy, Position, Tablebase, Variant, solve_batch
from mijnlieff._mijnlieff import MARGIN_UNIT, Network
from mijnlieff.encoding import observe_batch
from mijnlieff.policies.base import ActsInBatches
from mijnlieff.train.network import share_hands
from mijnlieff.train.network.regrets import regrets_of
from mijnlieff.train.network.symmetry import SymmetryGroup
from tools.fit import values_of

#: How often a position with at least as many empty cells is learned. In the first of them another
#: choice leads the player to positions that it has never met.
EARLY_WEIGHTS = {11: 5.0, 13: 25.0, 15: 100.0}
#: How often one in which the move cost points.
WRONG_WEIGHT = 10.0
#: How much more often, each time, one in which it cost points that the player needs for its value,
#: and positions that may follow.
FATAL_WEIGHT, AFTER_FATAL_WEIGHT = 100.0, 10.0
#: The share of these weights that is left a round later.
MEMORY = 0.8
GROUP = SymmetryGroup.of(Variant())
#: Where each symmetry moves an action to.
MOVED = np.argsort(GROUP.actions, axis=1)
#: The symmetry that undoes each.
UNDONE = (GROUP.actions[:, GROUP.actions] == np.arange(GROUP.actions.shape[1])).all(-1).argmax(1)
#: The planes of an observation as digits of one number.
PLACES = 1 << np.arange(3 * Variant().board.num_cells)
#: With more empty cells than this, positions after a move are not solved inside the search.
SOLVED_AT_ONCE = 10


@dataclass
class Recorder(ActsInBatches):
    """A policy that remembers the positions it was asked about, and its answers."""

    policy: NetworkPolicy
    positions: list[Position] = field(default_factory=list)
    chosen: list[NDArray[np.int64]] = field(default_factory=list)
    #: Not quite: of a solved position, one best action is drawn. `best_response` asks about solved
    #: positions only where margins are beyond 8 points.
    is_deterministic = True

    @property
    def exact_endings(self) -> tuple[int, int] | None:
        """Where the policy keeps the exact margin."""
        return self.policy.exact_endings

    @property
    def actions(self) -> NDArray[np.int64]:
        """The answers, one for each position."""
        return np.concatenate([np.empty(0, np.int64), *self.chosen])

    def act_batch(self, positions: Sequence[Position]) -> NDArray[np.int64]:
        """Return the actions to play, int64 ``(B,)``."""
        actions = self.policy.act_batch(positions)
        self.positions += positions
        self.chosen.append(actions)
        return actions


@dataclass
class Samples:
    """Solved positions: what the network sees, may play, should play and should expect."""

    observations: NDArray[np.uint8]
    masks: NDArray[np.int8]
    targets: NDArray[np.float16]
    values: NDArray[np.float32]
    margins: NDArray[np.int16]

    @classmethod
    def of(cls, positions: list[Position], tablebase: Tablebase | None) -> Samples:
        """Solve positions of one variant."""
        solved = solve_batch(positions, tablebase=tablebase)
        return cls(
            observe_batch(positions, "flat", "uint8"),
            solved.action_mask,
            solved.policy_targets.astype(np.float16),
            values_of(torch.from_numpy(solved.margins)).numpy(),
            solved.action_margins,
        )

    def turned(self, turns: NDArray[np.int64]) -> Samples:
        """Return each with the symmetry of this number applied to it."""
        of_cells, of_actions = GROUP.features[turns], GROUP.actions[turns]
        return Samples(
            np.take_along_axis(self.observations, of_cells, axis=1),
            np.take_along_axis(self.masks, of_actions, axis=1),
            np.take_along_axis(self.targets, of_actions, axis=1),
            self.values,
            np.take_along_axis(self.margins, of_actions, axis=1),
        )

    def take(self, rows: NDArray[np.int64]) -> Samples:
        """Return those in these rows."""
        return Samples(*(array[rows] for array in vars(self).values()))

    def joined(self, other: Samples) -> Samples:
        """Return both."""
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return Samples(*(np.concatenate(pair) for pair in pairs))


class Pool:
    """The positions met so far, with their exact answers.

    Where the player had to choose, it is to learn one optimal move, the one that it chose if that
    is optimal, and not all of them. So it settles on a repertoire: what it meets hardly changes
    from round to round, and what is mended stays mended. Positions that a symmetry maps to each
    other are one here, so that the repertoire is the same in all of them. They are learned in the
    orientations in which they were met: a player that opens always alike meets most of them in one.

    Attributes:
        samples: one for each position; None before the first.
        weights: how often each is learned, relative to the others.
        met: bool ``(N, 8)``, the symmetries that lead from a sample to the positions met.
    """

    def __init__(self, tablebase: Tablebase | None = None) -> None:
        """Start without positions.

        Args:
            tablebase: where to look exact margins up, rather than search.
        """
        self._tablebase = tablebase
        self.samples: Samples | None = None
        self.weights = np.empty(0)
        self.met = np.empty((0, GROUP.order), bool)
        self._least = np.empty(0)
        self._is_settled = np.empty(0, bool)
        self._rows: dict[bytes, int] = {}

    def __len__(self) -> int:
        """Return the number of positions."""
        return len(self.weights)

    def forget(self) -> None:
        """Make old mistakes a little less important; to be called once a round."""
        self.weights = self._least + (self.weights - self._least) * MEMORY

    def draw(self, count: int, rng: np.random.Generator) -> list[torch.Tensor]:
        """Return positions drawn by their weights, each in an orientation in which it was met.

        Args:
            count: how many.
            rng: draws them.

        Returns:
            Observations, masks, policies, regrets and values of `count` positions.
        """
        assert self.samples is not None
        rows = rng.choice(len(self), count, p=self.weights / self.weights.sum())
        turns = (rng.random((count, GROUP.order)) * self.met[rows]).argmax(axis=1)
        drawn = self.samples.take(rows).turned(turns)
        regrets = regrets_of(drawn.margins)
        parts = (drawn.observations, drawn.masks, drawn.targets, regrets, drawn.values)
        return [torch.from_numpy(part) for part in parts]

    def add(self, met: Recorder, needed: int, network: Network) -> tuple[int, int]:
        """Add the positions in which a player had to choose, and what might mislead it there.

        Args:
            met: the positions and the player's choices.
            needed: the value of the start for the player.
            network: the network of the player.

        Returns:
            In how many of them the action cost points, and in how many the margin fell below the
            value of the start.
        """
        positions, turns = met.positions, turns_of(met.positions)
        actions = MOVED[turns, met.actions]
        rows = self._add(positions, turns)
        assert self.samples is not None
        self._settle(rows, positions, actions, network)
        reached = self.samples.margins[rows, actions].astype(int)
        best = np.rint(self.samples.values[rows, 1] * MARGIN_UNIT).astype(int)
        wrong, fatal = reached < best, (reached < needed) & (needed <= best)
        self.weights[rows[wrong]] = np.maximum(self.weights[rows[wrong]], WRONG_WEIGHT)
        self.weights[rows[fatal]] += FATAL_WEIGHT
        # A search errs where its prior misleads it, or the values of what follows.
        self._add_after(positions, wrong)
        self.weights[self._add_after(positions, fatal)] += AFTER_FATAL_WEIGHT
        return int(wrong.sum()), int(fatal.sum())

    def _add_after(self, positions: list[Position], which: NDArray[np.bool_]) -> NDArray[np.int64]:
        """Add what may follow some of the positions; return where it is."""
        after = [
            position.play(action)
            for position, is_meant in zip(positions, which, strict=True)
            if is_meant and _empty(position) > SOLVED_AT_ONCE
            for action in position.legal_actions()
        ]
        after = [one for one in after if not one.is_over]
        return self._add(after, turns_of(after))

    def _add(self, positions: list[Position], turns: NDArray[np.int64]) -> NDArray[np.int64]:
        """Add and solve the positions that are new; return where all are, int64 ``(B,)``.

        Args:
            positions: of one variant.
            turns: the symmetry that takes each to the orientation in which it is kept.
        """
        if not positions:
            return np.empty(0, np.int64)
        observations = observe_batch(positions, "flat", "uint8")
        kept = np.take_along_axis(observations, GROUP.features[turns], axis=1)
        keys = [row.tobytes() for row in kept]
        new = []
        for number, key in enumerate(keys):
            if key not in self._rows:
                self._rows[key] = len(self._rows)
                new.append(number)
        if new:
            samples = Samples.of([positions[number] for number in new], self._tablebase)
            samples = samples.turned(turns[new])
            self.samples = samples if self.samples is None else self.samples.joined(samples)
            self.weights = np.concatenate([self.weights, np.ones(len(new))])
            self._least = np.concatenate([self._least, np.ones(len(new))])
            self._is_settled = np.concatenate([self._is_settled, np.zeros(len(new), bool)])
            self.met = np.concatenate([self.met, np.zeros((len(new), GROUP.order), bool)])
        rows = np.array([self._rows[key] for key in keys])
        self.met[rows, UNDONE[turns]] = True
        return rows

    def _settle(
        self,
        rows: NDArray[np.int64],
        positions: list[Position],
        actions: NDArray[np.int64],
        network: Network,
    ) -> None:
        """Where the player chose for the first time, make one optimal move the target.

        It is the player's action if that is optimal, else the first of its network.

        Args:
            rows: of the positions.
            positions: in which it chose.
            actions: its choices, in the orientation in which the positions are kept.
            network: its network.
        """
        assert self.samples is not None
        new = np.flatnonzero(~self._is_settled[rows])
        new = new[np.unique(rows[new], return_index=True)[1]]
        at, each = rows[new], np.arange(len(new))
        samples = self.samples.take(at)
        shares = samples.observations.astype(np.float32)
        share_hands(shares, Variant().copies)
        logits, _ = network.evaluate(shares)
        first = np.where(samples.targets > 0, logits, -np.inf).argmax(axis=1)
        is_optimal = samples.targets[each, actions[new]] > 0
        self.samples.targets[at] = 0
        self.samples.targets[at, np.where(is_optimal, actions[new], first)] = 1
        empty = np.array([_empty(positions[number]) for number in new])
        for least, weight in EARLY_WEIGHTS.items():
            self._least[at[empty >= least]] = weight
        self.weights[at] = np.maximum(self.weights[at], self._least[at])
        self._is_settled[at] = True


def turns_of(positions: list[Position]) -> NDArray[np.int64]:
    """Return the symmetry that takes each position to one orientation, int64 ``(B,)``."""
    if not positions:
        return np.empty(0, np.int64)
    stones = observe_batch(positions, "flat", "uint8")[:, : len(PLACES)].astype(np.int64)
    keys = np.stack([stones[:, row[: len(PLACES)]] @ PLACES for row in GROUP.features])
    turns: NDArray[np.int64] = keys.argmin(axis=0)
    return turns


def _empty(position: Position) -> int:
    return int((position.stones == 0).sum())
