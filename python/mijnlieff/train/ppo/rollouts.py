"""Self-play on a vector environment: plays rounds of games and collects positions to learn from."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from mijnlieff._mijnlieff import MARGIN_UNIT, Network, Variant
from mijnlieff.envs import VectorEnv
from mijnlieff.train.config import TrainConfig
from mijnlieff.train.network import ILLEGAL_LOGIT, masked_log_softmax, share_hands
from mijnlieff.train.network.symmetry import SymmetryGroup
from mijnlieff.train.ppo.advantage import signed_advantages

__all__ = ["Experience", "RolloutCollector"]


@dataclass(frozen=True, slots=True)
class Experience:
    """The positions of one round, one per row of the tensors.

    Attributes:
        observations: uint8 `(B, features)`, flat, with hands as counts.
        masks: bool `(B, num_actions)`.
        actions: int64 `(B,)`.
        log_probs: float32 `(B,)`, log probabilities of the actions when they were played.
        advantages: float32 `(B,)`, for the player who acted; outcome and margin combined.
        targets: float32 `(B, 2)`, training targets of the two values.
        steps: actions played in the round, including random ones.
        games: games finished in the round.
    """

    observations: Tensor
    masks: Tensor
    actions: Tensor
    log_probs: Tensor
    advantages: Tensor
    targets: Tensor
    steps: int
    games: int


class RolloutCollector:
    """Plays rounds of games with the network on both sides, evaluated in native code.

    Every round starts all games again and lasts until each has ended once. A game that ends earlier
    is followed by another, whose last position gets its value from the network. The network sees
    each game of the environment in a random orientation, so that it learns all of them. Only the
    network and the generator carry over between rounds, so a saved run resumes exactly.
    """

    def __init__(self, variant: Variant, config: TrainConfig, generator: torch.Generator) -> None:
        """Create the environment.

        Args:
            variant: the game.
            config: `num_envs`, `random_plies`, `gamma`, `gae_lambda` and `margin_coef` are used.
            generator: generator for everything random.
        """
        self._config = config
        self._generator = generator
        self._group = SymmetryGroup.of(variant)
        self._env = VectorEnv(
            config.num_envs, variant, observation="flat", dtype="uint8", reward="margin", copy=False
        )

    def close(self) -> None:
        """Close the environment."""
        self._env.close()

    @torch.no_grad()
    def play_round(self, network: Network, seed: int | None = None) -> Experience:
        """Play a round.

        Args:
            network: the player of both sides.
            seed: seed of the environment; None draws one.

        Raises:
            FloatingPointError: a logit is so low that illegal actions would be likelier.
        """
        config, n = self._config, self._config.num_envs
        if seed is None:
            seed = int(torch.randint(2**62, (), generator=self._generator))
        random_plies = torch.randint(config.random_plies + 1, (n,), generator=self._generator)
        # The seat that plays at random in each game; 2 for none.
        guests = torch.rand(n, generator=self._generator) < config.random_opponents
        seats = torch.randint(2, (n,), generator=self._generator).masked_fill(~guests, 2)
        views = _Views(self._group, n, self._generator)
        ply = views.ply(*self._env.reset(seed=seed))
        plies: list[_Ply] = []
        ended = torch.zeros(n, dtype=torch.bool)
        while not bool(ended.all()):
            self._choose(ply, network)
            actions = views.played(ply.actions)
            random = (random_plies > len(plies)) | (ply.to_play == seats)
            if bool(random.any()):
                actions[random] = torch.from_numpy(self._env.sample_actions())[random]
            observation, rewards, terminated, _, info = self._env.step(actions.numpy())
            margin = torch.from_numpy(rewards).float()
            ply.rewards = torch.stack([margin.sign(), margin / MARGIN_UNIT], dim=1)
            ply.terminated = torch.from_numpy(terminated).clone()
            ply.chosen = ~random
            ended |= ply.terminated
            plies.append(ply)
            ply = views.ply(observation, info)
        self._choose(ply, network)
        return self._experience(plies, ply)

    def _choose(self, ply: _Ply, network: Network) -> None:
        observations = ply.observations.float().numpy()
        share_hands(observations, network.copies)
        outputs = network.evaluate(observations, num_threads=torch.get_num_threads())
        logits, ply.values = map(torch.from_numpy, outputs)
        if not bool((logits > ILLEGAL_LOGIT).all()):
            raise FloatingPointError(f"a logit is {logits.min().item():g}")
        log_probs = masked_log_softmax(logits, ply.masks)
        # Exponential race: e / p is smallest at action a with probability p[a].
        races = torch.empty_like(log_probs).exponential_(generator=self._generator)
        ply.actions = (log_probs - races.log()).argmax(dim=1)
        ply.log_probs = log_probs.gather(1, ply.actions[:, None])[:, 0]

    def _experience(self, plies: list[_Ply], last: _Ply) -> Experience:
        config = self._config
        values = torch.stack([ply.values for ply in [*plies, last]])
        terminated = torch.stack([ply.terminated for ply in plies])
        advantages = signed_advantages(
            torch.stack([ply.rewards for ply in plies]),
            values,
            torch.stack([ply.to_play for ply in [*plies, last]]),
            terminated,
            torch.stack([ply.chosen for ply in plies]),
            config.gamma,
            config.gae_lambda,
        )
        targets = advantages + values[:-1]
        combined = advantages[..., 0] + config.margin_coef * advantages[..., 1]
        chosen = torch.cat([ply.chosen for ply in plies])
        return Experience(
            observations=torch.cat([ply.observations for ply in plies])[chosen],
            masks=torch.cat([ply.masks for ply in plies])[chosen],
            actions=torch.cat([ply.actions for ply in plies])[chosen],
            log_probs=torch.cat([ply.log_probs for ply in plies])[chosen],
            advantages=combined.flatten()[chosen],
            targets=targets.flatten(0, 1)[chosen],
            steps=terminated.numel(),
            games=int(terminated.sum()),
        )


class _Views:
    """The games of a round as the network sees them, each in an orientation that stays."""

    def __init__(self, group: SymmetryGroup, games: int, generator: torch.Generator) -> None:
        turns = torch.randint(group.order, (games,), generator=generator)
        self._features = torch.from_numpy(group.features)[turns]
        self._actions = torch.from_numpy(group.actions)[turns]

    def ply(self, observation: NDArray[np.uint8], info: dict[str, Any]) -> _Ply:
        """The next ply, in arrays that the environment does not reuse in its next step."""
        masks = torch.from_numpy(info["action_mask"])
        return _Ply(
            torch.from_numpy(observation).gather(1, self._features),
            masks.gather(1, self._actions).bool(),
            torch.from_numpy(info["to_play"]).clone(),
        )

    def played(self, actions: Tensor) -> Tensor:
        """The actions of the environment for those that the network chose."""
        return self._actions.gather(1, actions[:, None])[:, 0]


@dataclass(slots=True)
class _Ply:
    """One ply of all games; filled in while it is played."""

    observations: Tensor
    masks: Tensor
    to_play: Tensor
    values: Tensor = field(init=False)
    actions: Tensor = field(init=False)
    log_probs: Tensor = field(init=False)
    rewards: Tensor = field(init=False)
    terminated: Tensor = field(init=False)
    chosen: Tensor = field(init=False)
