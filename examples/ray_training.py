"""Trains with Ray: workers play, this process learns, and the workers grade the result.

Without options it starts Ray on this machine:

    pip install 'mijnlieff[ray]'
    python examples/ray_training.py

On a node of a cluster, `--address auto` uses all of its machines.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from mijnlieff import evaluate, grade, load_policy
from mijnlieff.integrations.ray import RayExecutor
from mijnlieff.train import Budget, TrainConfig, TrainState, train


def main() -> None:
    """Train, and grade the result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--address", help="auto or HOST:PORT (default: start Ray here)")
    parser.add_argument("--workers", type=int, help="workers (default: one less than CPUs)")
    parser.add_argument("--games", type=int, default=20_000, help="games to play")
    parser.add_argument("--num-envs", type=int, default=512, help="games in a round")
    parser.add_argument("--positions", type=int, default=3_000, help="positions to grade")
    parser.add_argument("--out", type=Path, default=Path("runs/ray"), help="folder of the run")
    parser.add_argument("--overwrite", action="store_true", help="delete a run in --out")
    options = parser.parse_args()

    def report(state: TrainState) -> None:
        row = state.log[-1]
        print(
            f"round {row['round']}: {row['games']:,} games, {row['games_per_second']:.0f} games/s, "
            f"weights {row['policy_lag']} rounds old"
        )

    config = TrainConfig.of("alphazero", num_envs=options.num_envs, measurements=4)
    with RayExecutor(options.address, options.workers) as executor:
        print(f"at most {executor.max_workers} workers at once")
        train(
            config,
            Budget(games=options.games),
            options.out,
            executor=executor,
            on_report=report,
            overwrite=options.overwrite,
        )
        policy = load_policy(f"{options.out}:16")
        names = "trained", "minimax:2"
        print(evaluate(policy, "minimax:2", 200, names=names, executor=executor))
        print(grade(policy, options.positions, name="trained", executor=executor))


if __name__ == "__main__":
    main()
