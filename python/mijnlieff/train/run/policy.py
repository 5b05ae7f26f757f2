"""Plays with a trained network."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from mijnlieff import MCTSPolicy, NetworkPolicy, Position, Variant
from mijnlieff._mijnlieff import common_variant
from mijnlieff.errors import CheckpointError, PolicyError
from mijnlieff.policies.mcts import search_value
from mijnlieff.train.boards import Boards
from mijnlieff.train.config import TrainConfig
from mijnlieff.train.generalist.network import FrameNetwork
from mijnlieff.train.generalist.policy import frame_policy
from mijnlieff.train.network import BoardNetwork, new_network
from mijnlieff.train.network.native import native_network
from mijnlieff.train.run.checkpoint import Checkpoint, load_checkpoint
from mijnlieff.train.run.folder import RunFolder

__all__ = [
    "NetworkFunction",
    "evaluator",
    "load_weights",
    "network_from_checkpoint",
    "policy_from_checkpoint",
    "search_policy",
]


# A position with more empty cells costs the solver more than a search.
_SOLVE_BELOW = 9

_Evaluator = (
    Callable[[NDArray[np.float32], NDArray[np.int8]], tuple[torch.Tensor, torch.Tensor]]
    | Callable[
        [NDArray[np.float32], NDArray[np.int8]], tuple[NDArray[np.float32], NDArray[np.float32]]
    ]
)


class NetworkFunction:
    """A network as a function of NumPy arrays, as `NetworkPolicy` expects it."""

    def __init__(self, network: BoardNetwork) -> None:
        """Keep a reference to the network, so later training changes how this plays.

        Args:
            network: the network.
        """
        self._network = network

    @torch.no_grad()
    def __call__(
        self, observations: NDArray[np.float32], mask: NDArray[Any]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Evaluate positions.

        Args:
            observations: float32 `(B, 3 * num_cells + 8)`, flat.
            mask: `(B, num_actions)`, unused because the policy applies it.

        Returns:
            Logits, float32 `(B, num_actions)`, and expected outcomes for the side to move, float32
            `(B,)`.

        Raises:
            PolicyError: the positions are on another board than the network was trained on.
        """
        expected = self._network.num_features
        if observations.ndim != 2 or observations.shape[1] != expected:
            raise PolicyError(
                f"the network was trained on a board with {expected} numbers per observation, "
                f"not on one with shape {observations.shape}"
            )
        numbers = torch.from_numpy(np.ascontiguousarray(observations))
        logits, values = self._network(numbers.to(self._network.device))
        return logits.cpu().numpy(), values[:, 0].cpu().numpy()


class _TrainedPolicy(NetworkPolicy):
    """A network that plays only what it was trained on."""

    def __init__(self, network: BoardNetwork, variant: Variant, temperature: float) -> None:
        super().__init__(NetworkFunction(network), observation="flat", temperature=temperature)
        self._variant = variant

    def act_batch(self, positions: Sequence[Position]) -> NDArray[np.int64]:
        _check_game(self._variant, positions)
        return super().act_batch(positions)

    def action_probabilities(self, positions: Sequence[Position]) -> NDArray[np.float64]:
        _check_game(self._variant, positions)
        return super().action_probabilities(positions)


class _TrainedSearch(MCTSPolicy):
    """A search by a network that plays only what the network was trained on."""

    def __init__(self, variant: Variant, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._variant = variant

    def act_batch(self, positions: Sequence[Position]) -> NDArray[np.int64]:
        _check_game(self._variant, positions)
        return super().act_batch(positions)


def _check_game(trained: Variant, positions: Sequence[Position]) -> None:
    """Raise for another board or number of copies, whose observations may have the same length."""
    if len(positions) == 0:
        return
    found = common_variant(positions)
    if (found.board, found.copies) != (trained.board, trained.copies):
        raise PolicyError(f"the network was trained on {trained!r} and cannot play {found!r}")


def load_weights(network: BoardNetwork | FrameNetwork, checkpoint: Checkpoint, path: Path) -> None:
    """Load the weights of a checkpoint into a network.

    Args:
        network: a network of the checkpoint's variant and settings.
        checkpoint: the content of the file.
        path: the file, for the message.

    Raises:
        CheckpointError: the weights do not match the settings, or are not finite.
    """
    try:
        network.load_state_dict(checkpoint.network)
    except (RuntimeError, AttributeError, TypeError) as error:
        reason = " ".join(str(error).split())
        raise CheckpointError(
            f"the weights in {path} do not match its settings: {reason}"
        ) from error
    if not all(bool(torch.isfinite(weight).all()) for weight in network.parameters()):
        raise CheckpointError(f"some weights in {path} are NaN or infinite")


def evaluator(network: BoardNetwork, variant: Variant, margin_weight: float) -> _Evaluator:
    """The network with its current weights, as an evaluator for tree searches.

    On the CPU it is evaluated in native code with integers of 16 bits, elsewhere by PyTorch.

    Args:
        network: the network; later training does not change the evaluator.
        variant: the game that the network was made for.
        margin_weight: share of the margin in a value, as in `TreeSearch`.

    Returns:
        A function of observations and masks that returns logits and values.

    Raises:
        CheckpointError: a weight is not finite.
    """
    if network.device.type == "cpu":
        native = native_network(network, variant)

        def evaluate_natively(
            observations: NDArray[np.float32], _masks: NDArray[np.int8]
        ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
            logits, values = native.evaluate(observations, "int16")
            return logits, search_value(values, margin_weight)

        return evaluate_natively
    frozen, device = network.frozen(), network.device

    def evaluate(
        observations: NDArray[np.float32], _masks: NDArray[np.int8]
    ) -> tuple[torch.Tensor, torch.Tensor]:
        with torch.no_grad():
            logits, values = frozen(torch.from_numpy(observations).to(device))
            return logits.cpu(), search_value(values, margin_weight).cpu()

    return evaluate


def search_policy(
    network: BoardNetwork,
    variant: Variant,
    config: TrainConfig,
    num_simulations: int,
    seed: int = 0,
    solve_below: int | None = None,
) -> MCTSPolicy:
    """A player that searches with a network, with the knowledge that its training had.

    Args:
        network: the network; later training does not change how this plays.
        variant: the game it was trained on.
        config: the settings of its run.
        num_simulations: simulations per search.
        seed: seed of the player.
        solve_below: positions with at most this many empty cells are solved; None for at most 9,
            or none if the network was trained from the rules alone.
    """
    if solve_below is None:
        is_exact = config.algo == "alphazero" and config.knowledge == "exact"
        solve_below = min(_SOLVE_BELOW, config.solve_roots_below) if is_exact else 0
    return _TrainedSearch(
        variant,
        num_simulations,
        evaluator(network, variant, config.margin_weight),
        root="gumbel",
        seed=seed,
        margin_weight=config.margin_weight,
        solve_below=solve_below,
        num_threads=1,
    )


def network_from_checkpoint(
    path: str | os.PathLike[str],
) -> tuple[BoardNetwork | FrameNetwork, Checkpoint]:
    """The network of a checkpoint, and the whole content of the file.

    Args:
        path: the checkpoint, or the run's folder.

    Raises:
        CheckpointError: the file is missing, truncated, damaged or not a checkpoint.
    """
    file = Path(path)
    if file.is_dir():
        file = RunFolder(file).checkpoint
    checkpoint = load_checkpoint(file)
    config, variant = checkpoint.config, checkpoint.variant
    network: BoardNetwork | FrameNetwork
    if isinstance(variant, Boards):
        sizes = (variant.side, variant.side, variant.copies)
        network = FrameNetwork(*sizes, config.width, config.blocks, config.heads)
    else:
        network = new_network(variant, config)
    load_weights(network, checkpoint, file)
    return network, checkpoint


def policy_from_checkpoint(
    path: str | os.PathLike[str],
    temperature: float,
    num_simulations: int,
    solve_below: int | None,
) -> NetworkPolicy | MCTSPolicy:
    """See `mijnlieff.train.load_policy`."""
    network, checkpoint = network_from_checkpoint(path)
    config, variant = checkpoint.config, checkpoint.variant
    if isinstance(network, FrameNetwork):
        return frame_policy(network, temperature, num_simulations, config, solve_below)
    assert isinstance(variant, Variant)  # as the network is for one
    if num_simulations:
        return search_policy(network, variant, config, num_simulations, solve_below=solve_below)
    return _TrainedPolicy(network, variant, temperature)
