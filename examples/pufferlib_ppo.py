"""PufferLib's PPO on the native environment, against a random player.

    python examples/pufferlib_ppo.py

PufferLib knows no action masks, so they are behind the observations, and the network takes them
apart. The example needs PufferLib (``pip install 'mijnlieff[pufferlib]'``).
"""

from __future__ import annotations

import argparse
from typing import Any

import torch
from pufferlib.pufferl import PuffeRL
from torch import Tensor, nn

from mijnlieff import NetworkPolicy, evaluate
from mijnlieff.integrations.pufferlib import MijnlieffPufferEnv

STEPS = 32


class MaskedPolicy(nn.Module):
    """Logits of legal actions, and the value, for rows of the environment."""

    def __init__(self, env: MijnlieffPufferEnv, width: int = 256) -> None:
        """Make the layers."""
        super().__init__()
        self.hidden_size, self.split = width, env.split
        inputs = env.single_observation_space.shape[0] - env.num_actions
        layers = nn.Linear(inputs, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU()
        self.body = nn.Sequential(*layers)
        self.policy, self.value = nn.Linear(width, env.num_actions), nn.Linear(width, 1)

    def forward(self, rows: Tensor, state: Any = None) -> tuple[Tensor, Tensor]:
        """Return logits and values of rows ``(B, size)``."""
        observations, masks = self.split(rows)
        hidden = self.body(observations)
        return self.policy(hidden).masked_fill(masks == 0, -1e9), self.value(hidden)

    forward_eval = forward  # PuffeRL's name while it plays


def settings(args: argparse.Namespace) -> dict[str, Any]:
    """Return what PuffeRL asks for."""
    batch = STEPS * args.envs
    ppo = {"gamma": 1.0, "gae_lambda": 0.95, "clip_coef": 0.2, "vf_coef": 1.0, "ent_coef": 0.01}
    ppo |= {"vf_clip_coef": 10.0, "max_grad_norm": 0.5, "update_epochs": 4}
    ppo |= {"vtrace_rho_clip": 1.0, "vtrace_c_clip": 1.0, "prio_alpha": 0.0, "prio_beta0": 1.0}
    adam = {"optimizer": "adam", "learning_rate": 1e-3, "anneal_lr": True}
    adam |= {"adam_beta1": 0.9, "adam_beta2": 0.999, "adam_eps": 1e-5}
    sizes = {"total_timesteps": max(1, args.steps // batch) * batch, "batch_size": batch}
    sizes |= {"bptt_horizon": STEPS, "minibatch_size": batch // 4, "max_minibatch_size": batch}
    machine = {"device": "cpu", "cpu_offload": False, "compile": False, "precision": "float32"}
    machine |= {"torch_deterministic": True, "use_rnn": False, "seed": args.seed}
    files = {"env": "mijnlieff", "data_dir": args.out, "checkpoint_interval": 2**31}
    return ppo | adam | sizes | machine | files


def main() -> None:
    """Train a policy and measure it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=1_000_000)
    parser.add_argument("--envs", type=int, default=256)
    parser.add_argument("--games", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", default="runs/pufferlib", help="folder of the checkpoint")
    args = parser.parse_args()
    torch.manual_seed(args.seed)
    env = MijnlieffPufferEnv(args.envs, seed=args.seed, report_interval=STEPS // 2)
    policy = MaskedPolicy(env)
    trainer = PuffeRL(settings(args), env, policy)
    trainer.print_dashboard = lambda *_, **__: None
    while trainer.global_step < trainer.config["total_timesteps"]:
        found = trainer.evaluate()
        print(f"{trainer.global_step:>9,} actions: return {found['episode_return'][-1]:.2f}")
        trainer.train()
    trainer.utilization.stop()

    @torch.no_grad()
    def logits(observations: Any, masks: Any) -> Tensor:
        return policy.policy(policy.body(torch.from_numpy(observations)))

    report = evaluate(NetworkPolicy(logits), "random", games=args.games, seed=args.seed)
    low, high = (2 * score - 1 for score in report.score_interval)
    print(f"mean return against random: {2 * report.score - 1:.3f} ({low:.3f} to {high:.3f})")


if __name__ == "__main__":
    main()
