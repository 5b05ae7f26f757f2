"""Proximal policy optimization with TorchRL, against a random player.

    python examples/torchrl_ppo.py

The opponent plays inside the environment, so this is an ordinary task for a single agent: a
collector fills batches, and the loss is TorchRL's. The example needs TorchRL
(``pip install 'mijnlieff[torchrl]'``).
"""

from __future__ import annotations

import argparse

import torch
from tensordict.nn import TensorDictModule
from torch import nn
from torchrl.collectors import Collector
from torchrl.envs import EnvBase, InitTracker
from torchrl.modules import MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

from mijnlieff import evaluate
from mijnlieff.integrations.torchrl import ActorPolicy, MijnlieffEnv

STEPS, EPOCHS, MINIBATCH, LEARNING_RATE = 32, 4, 1024, 1e-3


def network(outputs: int, width: int = 256) -> nn.Sequential:
    """Return a network for flat observations of the standard game."""
    layers = nn.Linear(56, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()
    return nn.Sequential(*layers, nn.Linear(width, outputs))


def train(env: EnvBase, frames: int) -> ProbabilisticActor:
    """Return an actor that was trained with this many actions."""
    actor = ProbabilisticActor(
        TensorDictModule(network(65), in_keys=["observation"], out_keys=["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},
        distribution_class=MaskedCategorical,
        spec=env.action_spec,
        return_log_prob=True,
    )
    critic = ValueOperator(network(1), in_keys=["observation"])
    advantages = GAE(gamma=1.0, lmbda=0.95, value_network=critic, average_gae=True)
    loss = ClipPPOLoss(actor, critic, entropy_coeff=0.01, normalize_advantage=False)
    optimizer = torch.optim.Adam(loss.parameters(), lr=LEARNING_RATE, eps=1e-5)
    size = STEPS * env.batch_size.numel()
    batches = max(1, frames // size)
    collector = Collector(env, actor, frames_per_batch=size, total_frames=batches * size)
    for i, batch in enumerate(collector):
        optimizer.param_groups[0]["lr"] = LEARNING_RATE * (1 - i / batches)
        with torch.no_grad():
            advantages(batch)
        rows = batch.reshape(-1)
        for _ in range(EPOCHS):
            for part in torch.randperm(len(rows)).split(MINIBATCH):
                losses = loss(rows[part])
                optimizer.zero_grad()
                sum(losses[f"loss_{it}"] for it in ("objective", "critic", "entropy")).backward()
                nn.utils.clip_grad_norm_(loss.parameters(), 0.5)
                optimizer.step()
        if i % 10 == 0:
            returns = batch["next", "reward"][batch["next", "done"]]
            print(f"{(i + 1) * size:>9,} actions: return {returns.mean():.2f}")
    collector.shutdown()
    return actor


def main() -> None:
    """Train an actor and measure it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--frames", type=int, default=600_000)
    parser.add_argument("--envs", type=int, default=256)
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    games = MijnlieffEnv(args.envs, opponent="random")
    games.set_seed(args.seed)
    actor = train(games.append_transform(InitTracker()), args.frames)
    report = evaluate(ActorPolicy(actor), "random", games=args.games, seed=args.seed)
    low, high = (2 * score - 1 for score in report.score_interval)
    print(f"mean return against random: {2 * report.score - 1:.3f} ({low:.3f} to {high:.3f})")


if __name__ == "__main__":
    main()
