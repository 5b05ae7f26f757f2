"""Games per second with 1 and 2 workers, bytes, memory, and the speed of a learner.

    python benches/frameworks/ray_workers.py

Prints a line for each figure of docs/integrations/ray.md. Speeds are compared within one run only.
"""

from __future__ import annotations

import argparse
import dataclasses
import os
import pickle
import time
from pathlib import Path

import numpy as np
import torch

from mijnlieff import Network, Variant
from mijnlieff.integrations.ray import RayExecutor
from mijnlieff.train import TrainConfig
from mijnlieff.train.alphazero import AlphaZero, Replay
from mijnlieff.train.boards import Boards
from mijnlieff.train.config import ALGORITHMS
from mijnlieff.train.network import CellNetwork, new_network
from mijnlieff.train.play.executor import ExecutorBackend
from mijnlieff.train.play.local import LocalBackend
from mijnlieff.train.play.symmetric_boards import SymmetricBoards
from mijnlieff.train.ppo import Ppo

BOARDS = Boards((Variant(),))
MEGABYTE = 1e6
LINK = 1.25e9
"""Bytes per second of a link of 10 Gbit/s."""


def sent_bytes(value: object) -> int:
    """The bytes of an object as Ray sends it."""
    buffers: list[pickle.PickleBuffer] = []
    head = pickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    return len(head) + sum(len(buffer.raw()) for buffer in buffers)


def resident(pid: int) -> float:
    """The memory of a process in MB, without the memory it shares with others."""
    fields = Path(f"/proc/{pid}/smaps_rollup").read_text().split("Private_Dirty:")[1].split()
    return int(fields[0]) * 1024 / MEGABYTE


def rounds_per_second(source, network: CellNetwork, rounds: int) -> float:
    """Rounds per second without learning, after one to warm up."""
    source.begin(network, 0)
    source.collect()
    began = time.perf_counter()
    for number in range(1, rounds + 1):
        source.begin(network, number)
        source.collect()
    return rounds / (time.perf_counter() - began)


def learning_seconds(games, network: CellNetwork, config: TrainConfig) -> float:
    """Seconds to learn from the games of a round."""
    generator = torch.Generator().manual_seed(0)

    class Ready:
        """A source that has the games already."""

        policy_lag = 0

        def begin(self, network: CellNetwork, number: int) -> None:
            pass

        def close(self) -> None:
            pass

        def collect(self):
            return games

    if config.algo == "ppo":
        learner = Ppo(network, config, generator, Ready())
    else:
        replay = Replay(SymmetricBoards(BOARDS), config.replay_positions)
        learner = AlphaZero(network, replay, config, generator, Ready())
        learner.round(0.0, 0)
    began = time.perf_counter()
    learner.round(0.0, 1)
    return time.perf_counter() - began


def measure(algo: str, rounds: int, settings: dict[str, int]) -> None:
    """Print the figures of an algorithm."""
    config = TrainConfig.of(algo, **settings)
    torch.manual_seed(0)
    network = new_network(BOARDS, config)
    games = config.num_envs
    weights = sent_bytes(Network.from_torch(network))
    local = LocalBackend().source(BOARDS, config, torch.Generator())
    speeds = {"this process": games * rounds_per_second(local, network, rounds)}
    local.close()
    for actors in (1, 2):
        with RayExecutor(max_workers=actors) as executor:
            source = ExecutorBackend(executor, 8, 1).source(BOARDS, config, torch.Generator())
            speeds[f"{actors} worker{'s' * (actors > 1)}"] = games * rounds_per_second(
                source, network, rounds
            )
            source.begin(network, rounds + 1)
            played = source.collect()
            source.close()
            pids = {executor.submit(os.getpid).result() for _ in range(8 * actors)}
            memory = max(resident(pid) for pid in pids)
    holder = played if algo == "ppo" else played.samples
    values = {field.name: getattr(holder, field.name) for field in dataclasses.fields(holder)}
    arrays = [np.asarray(value) for value in values.values() if np.ndim(value)]
    block = sum(array.nbytes for array in arrays) / 8
    learns = learning_seconds(played, network, config)
    print(f"\n{algo}: {games} games a round, 8 blocks, width {config.width}")
    for name, speed in speeds.items():
        print(f"  {name}: {speed:,.0f} games/s, {speed / speeds['1 worker']:.2f} of 1 worker")
    print(f"  memory of a worker: {memory:.0f} MB")
    print(f"  weights: {weights / MEGABYTE:.2f} MB a version")
    print(f"  block of {games // 8} games: {block / MEGABYTE:.3f} MB")
    print(f"  learning from a round: {learns:.2f} s, {games / learns:,.0f} games/s at most")
    each = speeds["1 worker"]
    for actors in (10, 100, 1000):
        blocks, versions = actors * each / (games / 8), actors * each / games
        # Each node fetches every version once and its workers share it; here with 16 of them.
        nodes = -(-actors // 16)
        received, sent = blocks * block, versions * weights * nodes
        print(
            f"  {actors} workers: {actors * each:,.0f} games/s; learner: "
            f"{2 * blocks:,.0f} messages/s, {received / MEGABYTE:,.1f} MB/s in, "
            f"{sent / MEGABYTE:,.1f} MB/s out to {nodes} nodes, "
            f"{(received + sent) / LINK:.1%} of 10 Gbit/s, {versions * learns:.1f} learners busy"
        )


def main() -> None:
    """Read the options and measure both algorithms."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--algo", nargs="+", choices=ALGORITHMS, default=ALGORITHMS)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--num-envs", type=int, help="games in a round (default: as in training)")
    options = parser.parse_args()
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    torch.set_num_threads(1)
    settings = {} if options.num_envs is None else {"num_envs": options.num_envs}
    for algo in options.algo:
        measure(algo, options.rounds, settings)


if __name__ == "__main__":
    main()
