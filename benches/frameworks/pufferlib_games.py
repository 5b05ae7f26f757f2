"""Speed of the native environment for PufferLib beside PufferLib's emulation, in one run.

    python benches/frameworks/pufferlib_games.py --envs 64 --steps 300

Every game is against a random player, actions are random and legal, and the time to draw them
counts. The first line is PufferLib's `Serial` of the single environment in its emulation, the next
one the batch without PufferLib, and the last ones are `MijnlieffPufferEnv`. They take turns, and
the least time of each step counts, since other load on the machine only makes it longer.
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
from mijnlieff.cli.timing import Work, lines, measure
from mijnlieff.envs import MaskInObservation
from mijnlieff.integrations.pufferlib import MijnlieffPufferEnv

GAME = "mijnlieff:Mijnlieff-v0"
ACTIONS = 65
SERIAL = "emulation, Serial"
Masks = Callable[[NDArray[Any], Any], NDArray[Any]]


def emulated(num_envs: int) -> Any:
    """Return single environments with the mask in the observation, as PufferLib takes any."""

    def one(buf: Any = None, seed: int = 0) -> Any:
        game = gymnasium.make(GAME, disable_env_checker=True)
        masked = MaskInObservation(game, dtype="float32")
        return pufferlib.emulation.GymnasiumPufferEnv(masked, buf=buf, seed=seed)

    return pufferlib.vector.make(one, backend="Serial", num_envs=num_envs)


def work(name: str, env: Any, masks_of: Masks, num_envs: int, steps: int) -> Work:
    """Return the work of some steps, the same actions every time."""

    def play() -> list[float]:
        rng, taken = np.random.default_rng(0), []
        rows, info = env.reset(seed=0)
        for _ in range(steps):
            begin = time.perf_counter()
            masks = masks_of(rows, info)
            drawn = (masks * rng.random(masks.shape, np.float32)).argmax(1).astype(np.int32)
            rows, _, _, _, info = env.step(drawn)
            taken.append(time.perf_counter() - begin)
        return taken

    return Work(name, steps * num_envs, play, None if name == SERIAL else SERIAL)


def main() -> None:
    """Print steps per second, and their ratios to those of the emulation."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--envs", type=int, default=64)
    parser.add_argument("--steps", type=int, default=300)
    parser.add_argument("--seconds", type=float, default=1.0, help="seconds for each line")
    args = parser.parse_args()
    games: dict[str, tuple[Any, Masks]] = {
        # Emulation sorts the names: "action_mask" is before "observations".
        SERIAL: (
            emulated(args.envs),
            lambda rows, _: rows.view(np.float32).reshape(args.envs, -1)[:, :ACTIONS],
        ),
        "VectorEnv without PufferLib": (
            VectorEnv(args.envs, opponent="random", copy=False),
            lambda _, info: info["action_mask"],
        ),
    }
    for dtype in ("float32", "uint8"):
        env = MijnlieffPufferEnv(args.envs, dtype=dtype)
        games[f"MijnlieffPufferEnv, {dtype}"] = (env, lambda rows, _: rows[:, -ACTIONS:])
    works = [work(name, *game, args.envs, args.steps) for name, game in games.items()]
    print(*lines(measure(works, args.seconds)), sep="\n")


if __name__ == "__main__":
    main()
