"""Steps per second of `MijnlieffVecEnv` beside the vectorization of Stable-Baselines3.

    python benches/frameworks/sb3_games.py

All play the same games with random legal actions; masks are fetched before every step, as
``MaskablePPO`` does. They take turns, since the machine may have other load, and the median step
counts. Compare the ratios rather than the rates. Needs ``pip install 'mijnlieff[sb3]'``.
"""

from __future__ import annotations

import argparse
import functools
import time

import gymnasium
import numpy as np
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecEnv

from mijnlieff.integrations.sb3 import MijnlieffVecEnv

TURNS = 3


def play(env: VecEnv, steps: int) -> tuple[list[float], int]:
    """Return the seconds of each step, and how many games ended."""
    env.seed(0)
    env.reset()
    rng = np.random.default_rng(0)
    ended, seconds = 0, []
    for _ in range(steps):
        start = time.perf_counter()
        masks = get_action_masks(env)
        took = time.perf_counter() - start
        actions = (masks * rng.random(masks.shape)).argmax(axis=1)
        start = time.perf_counter()
        _, _, dones, _ = env.step(actions)
        seconds.append(took + time.perf_counter() - start)
        ended += int(dones.sum())
    return seconds, ended


def main() -> None:
    """Print the rates and their ratios."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--envs", type=int, default=64)
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--opponent", default="random")
    parser.add_argument("--start-method", help="of SubprocVecEnv: fork, forkserver or spawn")
    args = parser.parse_args()
    make = functools.partial(
        gymnasium.make, "mijnlieff:Mijnlieff-v0", opponent=args.opponent, disable_env_checker=True
    )
    envs: dict[str, VecEnv] = {
        "MijnlieffVecEnv": MijnlieffVecEnv(args.envs, opponent=args.opponent),
        "DummyVecEnv": DummyVecEnv([make] * args.envs),
        "SubprocVecEnv": SubprocVecEnv([make] * args.envs, start_method=args.start_method),
    }
    seconds: dict[str, list[float]] = {name: [] for name in envs}
    games = set()
    for _ in range(TURNS):
        for name, env in envs.items():
            found, ended = play(env, args.steps)
            seconds[name] += found
            games.add(ended)
    for env in envs.values():
        env.close()
    assert len(games) == 1, f"the environments played different games: {games}"
    print(f"{args.envs} games against {args.opponent}, {games.pop():,} ended in {args.steps} steps")
    median = {name: float(np.median(found)) for name, found in seconds.items()}
    for name, found in median.items():
        ratio = found / median["MijnlieffVecEnv"]
        rate = f"{args.envs / found:14,.0f} steps/s"
        print(f"{name:16}{rate}   MijnlieffVecEnv is {ratio:.1f} times as fast")


if __name__ == "__main__":
    main()
