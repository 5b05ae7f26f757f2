"""Trains with Ray: workers play, this process learns, and the workers grade the result.

Without options it starts Ray on this machine:

    pip install 'mijnlieff[ray]'
    python examples/ray_training.py

On a node of a cluster, `--address auto` uses all of its machines.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from mijnlieff.integrations.ray import RayCluster, evaluate, grade, train
from mijnlieff.train import Budget, TrainConfig, TrainState, load_policy


def main() -> None:
    """Train, and grade the result."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--address", help="auto or HOST:PORT (default: start Ray here)")
    parser.add_argument("--actors", type=int, help="workers (default: one less than CPUs)")
    parser.add_argument("--games", type=int, default=20_000, help="games to play")
    parser.add_argument("--num-envs", type=int, default=512, help="games in a round")
    parser.add_argument("--positions", type=int, default=3_000, help="positions to grade")
    parser.add_argument("--out", type=Path, default=Path("runs/ray"), help="folder of the run")
    options = parser.parse_args()

    def report(state: TrainState) -> None:
        row = state.log[-1]
        print(
            f"round {row['round']}: {row['games']:,} games, {row['games_per_second']:.0f} games/s, "
            f"weights {row['staleness']} rounds old, {row['replayed']} blocks played again"
        )

    config = TrainConfig.of("alphazero", num_envs=options.num_envs, measurements=4)
    with RayCluster(options.address, options.actors) as cluster:
        nodes = {worker.node for worker in cluster.workers()}
        print(f"{cluster.actors} workers on {len(nodes)} nodes")
        train(
            config,
            Budget(games=options.games),
            options.out,
            cluster=cluster,
            on_report=report,
            overwrite=True,
        )
        policy = load_policy(options.out, num_simulations=16)
        print(evaluate(policy, "minimax:2", 200, names=("trained", "minimax:2"), cluster=cluster))
        print(grade(policy, options.positions, name="trained", cluster=cluster))


if __name__ == "__main__":
    main()
