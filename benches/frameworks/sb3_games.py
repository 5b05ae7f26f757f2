"""Steps per second of `MijnlieffVecEnv` beside the vectorization of Stable-Baselines3.

    python benches/frameworks/sb3_games.py

All play the same games with random legal actions; masks are fetched before every step, as
``MaskablePPO`` does. They take turns, since the machine may have other load, and the least time of
each step counts. Compare the ratios rather than the rates. Needs ``pip install 'mijnlieff[sb3]'``.
"""

from __future__ import annotations

import argparse
import functools
import time

import gymnasium
import numpy as np
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3.common.vec_env import DummyVecEnv, SubprocVecEnv, VecEnv

from mijnlieff.cli.timing import Work, lines, measure
from mijnlieff.integrations.sb3 import MijnlieffVecEnv

REFERENCE = "DummyVecEnv"


def work(env: VecEnv, steps: int, games: set[int]) -> Work:
    """Return the work of some steps; the number of games that end in them is added to `games`."""

    def play() -> list[float]:
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
        games.add(ended)
        return seconds

    name = type(env).__name__
    return Work(name, steps * env.num_envs, play, None if name == REFERENCE else REFERENCE)


def main() -> None:
    """Print the rates and their ratios."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--envs", type=int, default=64)
    parser.add_argument("--steps", type=int, default=500)
    parser.add_argument("--seconds", type=float, default=1.0, help="seconds for each line")
    parser.add_argument("--opponent", default="random")
    parser.add_argument("--start-method", help="of SubprocVecEnv: fork, forkserver or spawn")
    args = parser.parse_args()
    make = functools.partial(
        gymnasium.make, "mijnlieff:Mijnlieff-v0", opponent=args.opponent, disable_env_checker=True
    )
    envs: list[VecEnv] = [
        DummyVecEnv([make] * args.envs),
        SubprocVecEnv([make] * args.envs, start_method=args.start_method),
        MijnlieffVecEnv(args.envs, opponent=args.opponent),
    ]
    games: set[int] = set()
    found = measure([work(env, args.steps, games) for env in envs], args.seconds)
    for env in envs:
        env.close()
    assert len(games) == 1, f"the environments played different games: {games}"
    print(f"{args.envs} games against {args.opponent}, {games.pop():,} ended in {args.steps} steps")
    print(*lines(found), sep="\n")


if __name__ == "__main__":
    main()
