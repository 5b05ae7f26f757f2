"""Speed of the native environment for PufferLib beside PufferLib's emulation, in one run.

    python benches/frameworks/pufferlib_games.py --envs 64 --steps 300

Every game is against a random player, actions are random and legal, and the time to draw them
counts. The first rows are `MijnlieffPufferEnv`, and the third one is PufferLib's `Serial` of the
single environment in its emulation. The last row is the batch without PufferLib.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pufferlib.emulation
import pufferlib.vector
from numpy.typing import NDArray

from mijnlieff import VectorEnv
from mijnlieff.envs import MaskInObservation
from mijnlieff.integrations.pufferlib import MijnlieffPufferEnv

GAME = "mijnlieff:Mijnlieff-v0"
ACTIONS = 65


def drawn(masks: NDArray[Any], rng: np.random.Generator) -> NDArray[np.int32]:
    """Return a random legal action for each row."""
    return (masks * rng.random(masks.shape, np.float32)).argmax(1).astype(np.int32)


def emulated(num_envs: int) -> Any:
    """Return single environments with the mask in the observation, as PufferLib takes any."""

    def one(buf: Any = None, seed: int = 0) -> Any:
        game = gymnasium.make(GAME, disable_env_checker=True)
        masked = MaskInObservation(game, dtype="float32")
        return pufferlib.emulation.GymnasiumPufferEnv(masked, buf=buf, seed=seed)

    return pufferlib.vector.make(one, backend="Serial", num_envs=num_envs)


def rate(env: Any, masks_of: Callable[[NDArray[Any]], NDArray[Any]], steps: int) -> float:
    """Return steps per second, after a few to warm up."""
    rng = np.random.default_rng(0)
    rows, _ = env.reset(0)
    begin = 0.0
    for step in range(steps + 3):
        if step == 3:
            begin = time.perf_counter()
        rows = env.step(drawn(masks_of(rows), rng))[0]
    return steps * len(rows) / (time.perf_counter() - begin)


def plain_rate(num_envs: int, steps: int) -> float:
    """Return steps per second of the plain batch."""
    env, rng = VectorEnv(num_envs, opponent="random", copy=False), np.random.default_rng(0)
    _, info = env.reset(seed=0)
    begin = time.perf_counter()
    for _ in range(steps):
        info = env.step(drawn(info["action_mask"], rng))[4]
    return steps * num_envs / (time.perf_counter() - begin)


def main() -> None:
    """Print steps per second, and their ratios to those of the emulation."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--envs", type=int, default=64)
    parser.add_argument("--steps", type=int, default=300)
    args = parser.parse_args()
    behind = slice(-ACTIONS, None)
    first = slice(0, ACTIONS)  # emulation sorts the names: "action_mask" is before "observations"
    rates = {
        f"MijnlieffPufferEnv, {dtype}": rate(
            MijnlieffPufferEnv(args.envs, dtype=dtype), lambda rows: rows[:, behind], args.steps
        )
        for dtype in ("float32", "uint8")
    }
    slow = max(1, args.steps // 10)
    theirs = rate(
        emulated(args.envs),
        lambda rows: rows.view(np.float32).reshape(args.envs, -1)[:, first],
        slow,
    )
    rates["emulation, Serial"] = theirs
    rates["VectorEnv without PufferLib"] = plain_rate(args.envs, args.steps)
    for name, value in rates.items():
        print(f"{name:<28} {value:>12,.0f} steps/s {value / theirs:>8.1f} x")


if __name__ == "__main__":
    main()
