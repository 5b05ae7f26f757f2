"""Proximal policy optimization over the positions of one round."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from mijnlieff.train.config import TrainConfig
from mijnlieff.train.network import CellNetwork, check_finite, masked_log_softmax
from mijnlieff.train.network.optimizer import Optimizer
from mijnlieff.train.ppo.rollouts import Experience
from mijnlieff.train.source import GameSource

__all__ = ["Losses", "Ppo"]


@dataclass(frozen=True, slots=True)
class Losses:
    """Means over the gradient steps of one round; NaN if every action of it was random.

    Attributes:
        policy_loss: PPO's clipped objective, negated.
        value_loss: mean squared error of the expected outcome.
        margin_loss: mean squared error of the expected margin, in units of `MARGIN_UNIT` points.
        entropy: entropy of the policy over the legal actions, in nats.
        clipped: share of positions whose probability ratio was clipped.
        grad_norm: norm of the gradient before clipping.
    """

    policy_loss: float
    value_loss: float
    margin_loss: float
    entropy: float
    clipped: float
    grad_norm: float


class Ppo:
    """A network, its optimizer, the source of its games, and the update.

    The update is that of Schulman et al. 2017 (arXiv:1707.06347). Playing and learning alternate.

    Attributes:
        network: the network to train.
        optimizer: the optimizer of its weights.
    """

    def __init__(
        self,
        network: CellNetwork,
        config: TrainConfig,
        generator: torch.Generator,
        source: GameSource[Experience],
    ) -> None:
        """Set up the optimizer.

        Args:
            network: the network to train.
            config: the settings.
            generator: generator for everything random.
            source: plays the games.
        """
        self.network = network
        self.optimizer = Optimizer(network, config)
        self._config = config
        self._generator = generator
        self._source = source

    def round(self, spent: float, number: int) -> tuple[Losses, int, int]:
        """Play a round and learn from it.

        Args:
            spent: the spent share of the budget, 0 to 1.
            number: the rounds of the run before this one.

        Returns:
            The losses, the actions played and the games finished.

        Raises:
            FloatingPointError: see `learn`.
        """
        self._source.begin(self.network, number)
        experience = self._source.collect()
        return self.learn(experience, spent), experience.steps, experience.games

    def learn(self, experience: Experience, spent: float) -> Losses:
        """Train the network on one round.

        Args:
            experience: the round.
            spent: the spent share of the budget, 0 to 1, for the schedules.

        Raises:
            FloatingPointError: a loss or a gradient is not finite; the step was not taken, so the
                weights are unchanged.
        """
        if not len(experience.actions):
            return Losses(*[math.nan] * 6)
        config = self._config
        rate = config.learning_rate * (1.0 - 0.95 * spent)
        entropy_coef = config.entropy_coef * (1.0 - 0.9 * spent)
        advantages = experience.advantages
        advantages = (advantages - advantages.mean()) / (advantages.std(correction=0) + 1e-6)
        parts = (
            experience.observations,
            experience.masks,
            experience.actions,
            experience.log_probs,
            advantages,
            experience.targets,
        )
        device = self.network.device
        sums = torch.zeros(6, device=device)
        count = 0
        for _ in range(config.epochs):
            order = torch.randperm(len(advantages), generator=self._generator)
            for rows in torch.split(order, config.minibatch_size):
                batch = tuple(part[rows].to(device) for part in parts)
                sums += self._step(batch, rate, entropy_coef)
                count += 1
        return Losses(*(sums / count).tolist())

    def _step(self, batch: tuple[Tensor, ...], rate: float, entropy_coef: float) -> Tensor:
        config = self._config
        observations, masks, actions, old_log_probs, advantages, targets = batch
        logits, values = self.network.outputs(observations, config.precision)
        log_probs = masked_log_softmax(logits, masks)
        entropy = -(log_probs.exp() * log_probs).sum(dim=1).mean()
        ratio = (log_probs.gather(1, actions[:, None])[:, 0] - old_log_probs).exp()
        bounded = ratio.clamp(1.0 - config.clip_range, 1.0 + config.clip_range)
        policy_loss = -torch.minimum(ratio * advantages, bounded * advantages).mean()
        value_losses = (values - targets).square().mean(dim=0)
        loss = policy_loss + config.value_weight * value_losses.sum() - entropy_coef * entropy
        norm = self.network.set_gradients(loss, config.max_grad_norm)
        check_finite(norm, loss)
        self.optimizer.step(rate)
        clipped = (ratio != bounded).float().mean()
        parts = (policy_loss, value_losses[0], value_losses[1], entropy, clipped, norm)
        return torch.stack([part.detach() for part in parts])
