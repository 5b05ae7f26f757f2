"""Models of Stable-Baselines3 as policies."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray
from stable_baselines3.common.base_class import BaseAlgorithm

from mijnlieff.integrations._models import model_of
from mijnlieff.policies import NetworkPolicy

if TYPE_CHECKING:
    from mijnlieff._mijnlieff import Canvas

__all__ = ["SB3Policy"]


class SB3Policy(NetworkPolicy):
    """A model of Stable-Baselines3 as a policy, for `evaluate`, `grade` and ``opponent=``.

    The layout and dtype of observations follow from the model's observation space. Illegal actions
    are masked, also for algorithms without masks. The algorithm must have a distribution over
    actions (``MaskablePPO``, ``PPO``, ``A2C``, ``TRPO``) or a value for each action (``DQN``,
    ``QRDQN``). Observations are normalized if the model's environment is a ``VecNormalize``.

    Args:
        model: the model, trained on the observations of this package.
        deterministic: True plays the legal action with the largest probability or value, as
            ``predict(deterministic=True)`` does; False draws actions with the model's
            probabilities.
        frozen: True copies the model's weights; False follows the model when it learns.
        seed: of the draws, 0 to 2**64 - 1.
        batch_size: the most positions passed to the network at once.
        canvas: the `VectorEnv.canvas` of an environment with ``variants`` or a canvas.

    Raises:
        TypeError: not a model, or of an algorithm that has neither probabilities nor values of
            single actions.
        ValueError: the model's spaces are not those of this package, or an algorithm that has only
            values cannot draw actions.
    """

    def __init__(
        self,
        model: BaseAlgorithm,
        *,
        deterministic: bool = True,
        frozen: bool = False,
        seed: int = 0,
        batch_size: int = 4096,
        canvas: Canvas | None = None,
    ) -> None:
        """Check the model."""
        if not isinstance(model, BaseAlgorithm):
            raise TypeError(
                f"a model of Stable-Baselines3 is needed, not {model!r} of type "
                f"{type(model).__name__}"
            )
        has_probabilities = _scores_of(model) == "distribution"
        if not (deterministic or has_probabilities):
            raise ValueError(
                f"{type(model).__name__} has values and not probabilities of actions; use "
                "deterministic=True"
            )
        self.algorithm = type(model).__name__
        network, normalize = model.policy, model.get_vec_normalize_env()
        if frozen:
            network, normalize = _copied(network), copy.deepcopy(normalize)
        self._network, self._normalize = network, normalize
        super().__init__(
            model_of(self._scores, model.observation_space, model.action_space, canvas),
            temperature=float(not deterministic),
            seed=seed,
            batch_size=batch_size,
        )

    def __repr__(self) -> str:
        """Return the algorithm and the settings."""
        return (
            f"SB3Policy({self.algorithm}, observation={self.model.observation!r}, "
            f"deterministic={self.is_deterministic}, seed={self.seed})"
        )

    def _scores(self, observations: NDArray[Any], masks: NDArray[np.int8]) -> Any:
        """Return a number for each action, from which the best or a random one is taken."""
        network = self._network
        if self._normalize is not None:
            observations = self._normalize.normalize_obs(observations)
        network.set_training_mode(False)
        with torch.no_grad():
            seen, _ = network.obs_to_tensor(observations)
            kind = _scores_of(network)
            if kind == "distribution":
                return network.get_distribution(seen).distribution.logits
            if kind == "q_net":
                return network.q_net(seen)
            return network.quantile_net(seen).mean(dim=1)


def _copied(network: Any) -> Any:
    """Return a copy of a model's policy, as far as it is needed to play."""
    # The optimizer would double the memory. After training, the last distribution holds tensors of
    # a graph, which cannot be copied; every call makes a new one.
    optimizer = getattr(network, "optimizer", None)
    last = getattr(getattr(network, "action_dist", None), "distribution", None)
    return copy.deepcopy(network, {id(optimizer): None, id(last): None})


def _scores_of(model: Any) -> str:
    """Return the part of a model, or of its policy, that rates actions."""
    network = getattr(model, "policy", model)
    if hasattr(network, "get_distribution") and not hasattr(network, "lstm_actor"):
        return "distribution"
    for name in ("q_net", "quantile_net"):
        if hasattr(network, name):
            return name
    raise TypeError(
        f"{type(model).__name__} gives neither probabilities nor values of single actions; use "
        "MaskablePPO, PPO, A2C, TRPO, DQN or QRDQN, or mijnlieff.policies.FunctionPolicy"
    )
