"""MaskablePPO of sb3-contrib against a pool of its past selves.

    python examples/sb3_maskable_ppo.py

The opponent in each game is one member of a pool: at first a random or a greedy player, later also
a copy of the agent, as copies are added while it learns. At the end the agent is measured by its
scores against fixed players, with 95 % intervals, and by a grade against exact play. With the
defaults this takes a minute or two on one core. Needs ``pip install 'mijnlieff[sb3]'``.
"""

from __future__ import annotations

import argparse

import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import VecMonitor

from mijnlieff import evaluate, grade
from mijnlieff.integrations.sb3 import MijnlieffVecEnv, SB3Policy, SnapshotCallback
from mijnlieff.policies import OpponentPool


def train(args: argparse.Namespace) -> MaskablePPO:
    """Return a model that has learned against the pool."""
    pool = OpponentPool(["random", "greedy"], limit=args.snapshots, seed=args.seed)
    # Illegal actions raise an error: with masks there are none.
    games = MijnlieffVecEnv(args.envs, opponent=pool, random_plies=4, illegal_action="raise")
    model = MaskablePPO(
        "MlpPolicy",
        VecMonitor(games),  # adds returns and lengths of games to the log
        n_steps=32,
        batch_size=32 * args.envs // 8,
        n_epochs=3,
        learning_rate=lambda remaining: 2e-3 * remaining,
        gamma=1.0,
        gae_lambda=0.9,
        ent_coef=0.01,
        policy_kwargs={"net_arch": [256, 256], "activation_fn": torch.nn.ReLU},
        seed=args.seed,
        device="cpu",
        verbose=args.verbose,
    )
    return model.learn(args.steps, callback=SnapshotCallback(pool, args.steps // args.snapshots))


def main() -> None:
    """Train a model and measure it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--steps", type=int, default=300_000, help="steps of all games together")
    parser.add_argument("--envs", type=int, default=256, help="games at once")
    parser.add_argument("--snapshots", type=int, default=20, help="past selves in the pool")
    parser.add_argument("--games", type=int, default=2000, help="games of each match")
    parser.add_argument("--graded", type=int, default=1000, help="positions of the grade")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--save", help="file for the model")
    parser.add_argument("--verbose", type=int, default=0, help="1 logs the training")
    args = parser.parse_args()
    torch.set_num_threads(1)  # networks this small are slower with more
    model = train(args)
    if args.save:
        model.save(args.save)
    agent = SB3Policy(model)
    for opponent in ("random", "greedy"):
        report = evaluate(agent, opponent, games=args.games, seed=args.seed)
        low, high = report.score_interval
        print(f"score against {opponent}: {report.score:.3f} ({low:.3f} to {high:.3f})")
    print(grade(agent, positions=args.graded, seed=args.seed))


if __name__ == "__main__":
    main()
