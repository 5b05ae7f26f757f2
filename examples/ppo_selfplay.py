"""Proximal policy optimization by self-play, in one file.

    python examples/ppo_selfplay.py

One network plays both sides of many games. The value of the next position belongs to the opponent,
so it enters advantages with a minus sign: that is all that differs from PPO for a single agent. New
games start after a few random plies, so that the network meets more than its own openings. With the
defaults the agent wins at least nine of ten games against a random player. The example needs
PyTorch (``pip install 'mijnlieff[train]'``).
"""

from __future__ import annotations

import argparse
import time

import numpy as np
import torch
from torch import Tensor, nn
from torch.distributions import Categorical

from mijnlieff import NetworkPolicy, VectorEnv, evaluate

STEPS, EPOCHS, MINIBATCHES = 32, 3, 8
GAMMA, GAE_LAMBDA, CLIP, ENTROPY = 1.0, 0.9, 0.2, 0.01
RATE, LAST_RATE, RANDOM_PLIES = 2e-3, 0.0, 6


class Agent(nn.Module):
    """Logits of the 65 actions and the value of the position, for the side to move."""

    def __init__(self, width: int = 256) -> None:
        """Make the layers."""
        super().__init__()
        self.body = nn.Sequential(
            nn.Linear(56, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()
        )
        self.policy, self.value = nn.Linear(width, 65), nn.Linear(width, 1)

    def forward(self, observations: Tensor, masks: Tensor) -> tuple[Categorical, Tensor]:
        """Return the distribution over legal actions and the values ``(B,)``."""
        hidden = self.body(observations)
        logits = self.policy(hidden).masked_fill(~masks, -1e9)
        return Categorical(logits=logits), torch.tanh(self.value(hidden))[:, 0]


def advantages_of(rewards: Tensor, values: Tensor, ends: Tensor) -> Tensor:
    """Return the advantages ``(T, N)`` of the players who acted; values are ``(T + 1, N)``."""
    advantages, later = torch.zeros_like(rewards), torch.zeros_like(rewards[0])
    for t in reversed(range(len(rewards))):
        sign = -GAMMA * (1 - ends[t])  # the next position is the opponent's, or of a new game
        later = rewards[t] + sign * values[t + 1] - values[t] + sign * GAE_LAMBDA * later
        advantages[t] = later
    return advantages


def learn(agent: Agent, optimizer: torch.optim.Optimizer, batch: list[Tensor]) -> None:
    """Take the gradient steps of one rollout."""
    for _ in range(EPOCHS):
        for rows in torch.randperm(len(batch[0])).chunk(MINIBATCHES):
            seen, masks, actions, old, advantages, returns = (part[rows] for part in batch)
            policy, values = agent(seen, masks)
            ratio = (policy.log_prob(actions) - old).exp()
            scaled = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
            gain = torch.minimum(ratio * scaled, ratio.clamp(1 - CLIP, 1 + CLIP) * scaled)
            # Illegal actions have probability 0 and do not count.
            loss = (values - returns).square().mean() - gain.mean()
            loss = loss - ENTROPY * policy.entropy().mean()
            optimizer.zero_grad()
            loss.backward()
            nn.utils.clip_grad_norm_(agent.parameters(), 0.5)
            optimizer.step()


def train(agent: Agent, total_steps: int, num_envs: int, seed: int) -> None:
    """Play and learn in turns."""
    env = VectorEnv(num_envs, random_plies=RANDOM_PLIES)
    observations, info = env.reset(seed=seed)
    optimizer = torch.optim.Adam(agent.parameters(), lr=RATE, eps=1e-5)
    updates = max(1, total_steps // (STEPS * num_envs))
    begin = time.perf_counter()
    for update in range(updates):
        optimizer.param_groups[0]["lr"] = RATE + (LAST_RATE - RATE) * update / updates
        rows = []
        for _ in range(STEPS):
            seen, masks = torch.from_numpy(observations), torch.from_numpy(info["action_mask"]) == 1
            with torch.no_grad():
                policy, values = agent(seen, masks)
                actions = policy.sample()
            observations, rewards, ends, _, info = env.step(actions.numpy())
            rewards, ends = torch.from_numpy(rewards), torch.from_numpy(ends.astype(np.float32))
            rows.append([seen, masks, actions, policy.log_prob(actions), values, rewards, ends])
        columns = map(torch.stack, zip(*rows, strict=True))
        seen, masks, actions, log_probs, values, rewards, ends = columns
        with torch.no_grad():
            mask = torch.from_numpy(info["action_mask"]) == 1
            _, last = agent(torch.from_numpy(observations), mask)
        advantages = advantages_of(rewards, torch.cat([values, last[None]]), ends)
        parts = (seen, masks, actions, log_probs, advantages, advantages + values)
        learn(agent, optimizer, [part.flatten(0, 1) for part in parts])
        played = (update + 1) * STEPS * num_envs
        speed, entropy = played / (time.perf_counter() - begin), policy.entropy().mean()
        print(f"{played:>9,} actions, {speed:,.0f}/s, entropy {entropy:.2f}", flush=True)


def main() -> None:
    """Train an agent and measure it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=1_500_000)
    parser.add_argument("--envs", type=int, default=512)
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    agent = Agent()
    train(agent, args.steps, args.envs, args.seed)

    @torch.no_grad()
    def logits(observations: np.ndarray, masks: np.ndarray) -> Tensor:
        return agent(torch.from_numpy(observations), torch.from_numpy(masks) == 1)[0].logits

    for opponent in ("random", "greedy"):
        report = evaluate(NetworkPolicy(logits), opponent, games=args.games, seed=args.seed)
        low, high = report.score_interval
        print(f"score against {opponent}: {report.score:.3f} ({low:.3f} to {high:.3f})")


if __name__ == "__main__":
    main()
