"""Policies that play by a trained network without PyTorch: the packaged one, or an exported one."""

from __future__ import annotations

import os
from collections.abc import Sequence
from functools import cache, partial
from typing import SupportsIndex

import numpy as np
from numpy.typing import NDArray

from mijnlieff._mijnlieff import (
    Network,
    Position,
    Variant,
    check_playable,
    common_variant,
    integer,
    integer_in,
    mask_batch,
    observe_batch,
    seed_of,
)
from mijnlieff._util.arguments import number_up_to
from mijnlieff._util.files import package_data
from mijnlieff.errors import CheckpointError
from mijnlieff.policies.mcts import MCTSPolicy, search_value
from mijnlieff.policies.softmax import softmax

__all__ = ["SOLVE_BELOW", "ChampionPolicy", "ExportedPolicy"]

# As `TrainConfig.margin_weight` is, unless a run sets it.
_MARGIN_WEIGHT = 0.5
SOLVE_BELOW = 9
"""A position with more empty cells costs the solver more than a search."""
# Positions whose logits are computed at once.
_BATCH = 4096


class ExportedPolicy:
    """Plays by a trained network, without PyTorch, with or without a search.

    `load` reads a file written by ``mijnlieff export``. A network plays on the board and with the
    number of copies that it was trained on, under any opening rule.

    Decision ``n`` draws from stream ``n`` of the seed, so the same positions in the same order get
    the same actions, however they are split into batches. Policies are equal if their networks and
    settings are; the number of decisions made so far is pickled, but not compared.

    Args:
        network: the network, a `mijnlieff._mijnlieff.Network`.
        seed: of the random draws, 0 to 2**64 - 1; it does not matter at temperature 0.
        temperature: 0 plays the legal action with the largest logit (the first of equal ones);
            above 0, actions are drawn with probabilities ``softmax(logits / temperature)``.
        num_simulations: simulations of a tree search (`MCTSPolicy`, with a Gumbel root) before
            every decision; the search plays its best action. 0 plays by the network alone.
        solve_below: the search solves positions with at most this many empty cells exactly. 0
            solves none, for a network that was trained from the rules alone.

    Attributes:
        network: the network.
        seed: the seed.
        temperature: the temperature.
        num_simulations: the number of simulations before every decision.
        solve_below: the most empty cells of positions that the search solves.
        margin_weight: the weight of the points in the values of the search.

    Raises:
        ValueError: a seed, a temperature, a number of simulations, `solve_below` or `margin_weight`
            out of range, or both a search and a temperature.
        TypeError: `network` is not a network, or a number is not an integer.
    """

    def __init__(
        self,
        network: Network,
        seed: SupportsIndex = 0,
        temperature: float = 0.0,
        num_simulations: SupportsIndex = 0,
        solve_below: SupportsIndex = SOLVE_BELOW,
        margin_weight: float = _MARGIN_WEIGHT,
    ) -> None:
        """Check the settings."""
        if not isinstance(network, Network):
            raise TypeError(
                f"network must be a Network, not {network!r}; ExportedPolicy.load reads a file"
            )
        self.network = network
        self.seed = seed_of(seed)
        self.temperature = number_up_to("temperature", temperature)
        self.num_simulations = integer("num_simulations", num_simulations)
        if self.num_simulations < 0:
            raise ValueError(f"num_simulations must be 0 or more, not {self.num_simulations}")
        if self.num_simulations and self.temperature:
            raise ValueError(
                f"a search plays its best action, so temperature must be 0, not {temperature!r}"
            )
        self.solve_below = integer_in("solve_below", solve_below, 0, 2**64 - 1)
        self.margin_weight = number_up_to("margin_weight", margin_weight, 1.0)
        self._path: str | None = None
        self._decisions = 0
        self._search: MCTSPolicy | None = None
        if self.num_simulations:
            self._search = MCTSPolicy(
                self.num_simulations,
                partial(_evaluate, network, self.margin_weight),
                root="gumbel",
                seed=self.seed,
                margin_weight=self.margin_weight,
                solve_below=self.solve_below,
            )

    @staticmethod
    def load(
        path: str | os.PathLike[str],
        seed: SupportsIndex = 0,
        temperature: float = 0.0,
        num_simulations: SupportsIndex = 0,
        solve_below: SupportsIndex = SOLVE_BELOW,
        margin_weight: float = _MARGIN_WEIGHT,
    ) -> ExportedPolicy:
        """Return a policy that plays by a network from a file.

        Args:
            path: a file written by ``mijnlieff export``.
            seed: as in the class.
            temperature: as in the class.
            num_simulations: as in the class.
            solve_below: as in the class.
            margin_weight: as in the class.

        Raises:
            CheckpointError: the file is missing, truncated, damaged, or from another program or
                version; the message names the file and the reason.
            ValueError: as in the class.
            TypeError: as in the class.
        """
        network = Network.load(path)
        policy = ExportedPolicy(
            network, seed, temperature, num_simulations, solve_below, margin_weight
        )
        policy._path = os.fspath(path)
        return policy

    @property
    def variant(self) -> Variant | None:
        """The variant that the network was trained on; None if it plays all boards on a canvas."""
        return self.network.variant

    def act(self, position: Position) -> int:
        """Return the action to play.

        Raises:
            GameOverError: the game is over.
            PolicyError: the position has another board or number of copies than the network.
        """
        return int(self.act_batch([position])[0])

    def act_batch(self, positions: Sequence[Position]) -> NDArray[np.int64]:
        """Return the actions to play, int64 ``(B,)``; all positions are of one variant.

        Runs without the GIL and stops on Ctrl-C.

        Raises:
            GameOverError: a game is over; the message says which. No decision is counted.
            PolicyError: the positions have another board or number of copies than the network.
            ValueError: positions of several variants.
        """
        if not positions:
            return np.empty(0, dtype=np.int64)
        if self._search is not None:
            self.network.check_variant(common_variant(positions))
            return self._search.act_batch(positions)
        actions = self.network.choose(positions, self.temperature, self.seed, self._decisions)
        self._decisions += len(positions)
        return actions

    @property
    def is_deterministic(self) -> bool:
        """Whether equal positions always get the same action."""
        return self.temperature == 0

    @property
    def exact_endings(self) -> tuple[int, int] | None:
        """Where it keeps the exact margin, as `MCTSPolicy.exact_endings`; None without a search."""
        return None if self._search is None else self._search.exact_endings

    def action_probabilities(self, positions: Sequence[Position]) -> NDArray[np.float64]:
        """Return the probability of every action, float64 ``(B, num_actions)``.

        Raises:
            GameOverError: as in `act_batch`.
            PolicyError: as in `act_batch`.
            ValueError: no positions, or positions of several variants.
        """
        self.network.check_variant(common_variant(positions))
        check_playable(positions)
        shape = (len(positions), positions[0].variant.num_actions)
        probabilities = np.zeros(shape)
        if self.temperature == 0:
            probabilities[np.arange(len(positions)), self.act_batch(positions)] = 1
            return probabilities
        for start in range(0, len(positions), _BATCH):
            part = positions[start : start + _BATCH]
            logits, _ = self.network.evaluate(observe_batch(part, "flat"), mask_batch(part))
            masked = logits.astype(np.float64)
            probabilities[start : start + len(part)] = softmax(masked, self.temperature)
        return probabilities

    def __repr__(self) -> str:
        """Return the source of the network and the settings."""
        if self._path is None:
            return f"ExportedPolicy({self.network!r}, {self._settings()})"
        return f"ExportedPolicy.load({self._path!r}, {self._settings()})"

    def _settings(self) -> str:
        settings = f"seed={self.seed}, temperature={self.temperature}"
        if self.num_simulations:
            settings += f", num_simulations={self.num_simulations}"
            if self.solve_below != SOLVE_BELOW:
                settings += f", solve_below={self.solve_below}"
            if self.margin_weight != _MARGIN_WEIGHT:
                settings += f", margin_weight={self.margin_weight}"
        return settings

    def __eq__(self, other: object) -> bool:
        """Whether the other policy has the same network and settings."""
        if not isinstance(other, ExportedPolicy):
            return NotImplemented
        return self._identity() == other._identity()

    def __hash__(self) -> int:
        """Return a hash that is equal for equal policies."""
        return hash(self._identity())

    def _identity(self) -> tuple[object, ...]:
        searched = (self.num_simulations, self.solve_below, self.margin_weight)
        searching = searched if self.num_simulations else ()
        return self.network, self.seed, self.temperature, searching


class ChampionPolicy(ExportedPolicy):
    """Plays by the network that comes with the package, see ``docs/champion.md``.

    The network was trained on the standard game. Its file is read on first use.

    Args:
        seed: as in `ExportedPolicy`.
        temperature: as in `ExportedPolicy`.
        num_simulations: as in `ExportedPolicy`.
        solve_below: as in `ExportedPolicy`.

    Raises:
        ValueError: as in `ExportedPolicy`.
        TypeError: as in `ExportedPolicy`.
        CheckpointError: the file in the package is damaged.
    """

    def __init__(
        self,
        seed: SupportsIndex = 0,
        temperature: float = 0.0,
        num_simulations: SupportsIndex = 0,
        solve_below: SupportsIndex = SOLVE_BELOW,
    ) -> None:
        """Check the settings."""
        super().__init__(_packaged_network(), seed, temperature, num_simulations, solve_below)

    def __repr__(self) -> str:
        """Return the settings."""
        return f"ChampionPolicy({self._settings()})"


def _evaluate(
    network: Network,
    margin_weight: float,
    observations: NDArray[np.float32],
    masks: NDArray[np.int8],
) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Return logits and values in the form that a tree search expects."""
    logits, values = network.evaluate(observations, masks)
    return logits, search_value(values, margin_weight)


@cache
def _packaged_network() -> Network:
    """Return the network that comes with the package, which is read once."""
    return _network(package_data("champion.bin"), "the champion of this package")


def _network(content: bytes, name: str) -> Network:
    try:
        return Network(content)
    except CheckpointError as error:
        raise CheckpointError(f"{name}: {error}") from error
