"""Proximal policy optimisation over the positions of one round."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from mijnlieff import Variant
from mijnlieff.train.config import TrainConfig
from mijnlieff.train.network import PolicyValueNetwork, masked_log_softmax
from mijnlieff.train.ppo.self_play import Experience, SelfPlay

__all__ = ["Learner", "Losses", "Ppo"]


@dataclass(frozen=True, slots=True)
class Losses:
    """Means over the gradient steps of one round.

    Attributes:
        policy_loss: PPO's clipped objective, negated.
        value_loss: mean squared error of the expected outcome.
        margin_loss: mean squared error of the expected margin, in units of `MARGIN_UNIT` points.
        entropy: of the policy over the legal actions, nats.
        clipped: share of positions whose probability ratio left the trusted range.
        grad_norm: before it is limited.
    """

    policy_loss: float
    value_loss: float
    margin_loss: float
    entropy: float
    clipped: float
    grad_norm: float


class Learner:
    """A network, its optimiser and the PPO step (Schulman et al. 2017, arXiv:1707.06347).

    Attributes:
        network: what is trained.
        optimizer: Adam over its weights.
    """

    def __init__(
        self, network: PolicyValueNetwork, config: TrainConfig, generator: torch.Generator
    ) -> None:
        """Set up the optimiser.

        Args:
            network: what is trained.
            config: the learner's settings.
            generator: draws the minibatches.
        """
        self.network = network
        self.optimizer = torch.optim.Adam(
            network.parameters(), lr=config.learning_rate, eps=1e-5, fused=True
        )
        self._config = config
        self._generator = generator

    def learn(self, experience: Experience, spent: float) -> Losses:
        """Improve the network on one round.

        Args:
            experience: the round.
            spent: share of the budget that is spent, 0 to 1; steers the schedules.

        Raises:
            FloatingPointError: a loss or a gradient is not finite; the step that would have spoilt
                the weights was not taken.
        """
        config = self._config
        for group in self.optimizer.param_groups:
            group["lr"] = config.learning_rate * (1.0 - 0.95 * spent)
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
                sums += self._step(tuple(part[rows].to(device) for part in parts), entropy_coef)
                count += 1
        return Losses(*(sums / count).tolist())

    def _step(self, batch: tuple[Tensor, ...], entropy_coef: float) -> Tensor:
        config = self._config
        observations, masks, actions, old_log_probs, advantages, targets = batch
        logits, values = self.network(self.network.from_counts(observations))
        log_probs = masked_log_softmax(logits, masks)
        entropy = -(log_probs.exp() * log_probs).sum(dim=1).mean()
        ratio = (log_probs.gather(1, actions[:, None])[:, 0] - old_log_probs).exp()
        bounded = ratio.clamp(1.0 - config.clip_range, 1.0 + config.clip_range)
        policy_loss = -torch.minimum(ratio * advantages, bounded * advantages).mean()
        value_losses = (values - targets).square().mean(dim=0)
        loss = policy_loss + config.value_weight * value_losses.sum() - entropy_coef * entropy
        self.optimizer.zero_grad()
        loss.backward()
        norm = nn.utils.clip_grad_norm_(self.network.parameters(), config.max_grad_norm)
        if not bool(torch.isfinite(loss) & torch.isfinite(norm)):
            raise FloatingPointError(f"loss {loss.item()}, gradient norm {norm.item()}")
        self.optimizer.step()
        clipped = (ratio != bounded).float().mean()
        parts = (policy_loss, value_losses[0], value_losses[1], entropy, clipped, norm)
        return torch.stack([part.detach() for part in parts])


class Ppo:
    """A learner and its games, a round of each in turn.

    Attributes:
        optimizer: of the learner.
    """

    def __init__(
        self,
        network: PolicyValueNetwork,
        variant: Variant,
        config: TrainConfig,
        generator: torch.Generator,
    ) -> None:
        """Set up the learner and the environment.

        Args:
            network: what is trained.
            variant: the game.
            config: the settings.
            generator: source of all randomness.
        """
        self._network = network
        self._learner = Learner(network, config, generator)
        self._games = SelfPlay(variant, config, generator)
        self.optimizer = self._learner.optimizer

    def close(self) -> None:
        """Close the environment."""
        self._games.close()

    def round(self, spent: float) -> tuple[Losses, int, int]:
        """Play a round and learn from it.

        Args:
            spent: share of the budget that is spent, 0 to 1.

        Returns:
            The losses, the actions played and the games finished.

        Raises:
            FloatingPointError: see `Learner.learn`.
        """
        experience = self._games.play_round(self._network)
        return self._learner.learn(experience, spent), experience.steps, experience.games
