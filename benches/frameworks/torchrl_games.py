"""Speed of the TorchRL environment beside TorchRL's own way to many games, in one run.

    python benches/frameworks/torchrl_games.py --envs 64 --steps 30

Every game is against a random player, and ended games restart. The first rows use TorchRL with a
masked random policy, whose time counts: on the native batch, and on TorchRL's `SerialEnv` of single
games. The last row is the batch without TorchRL.
"""

from __future__ import annotations

import argparse
import time

import gymnasium
import torch
from tensordict import TensorDictBase
from torchrl.envs import EnvBase, GymWrapper, SerialEnv

from mijnlieff import VectorEnv
from mijnlieff.envs import MaskInObservation
from mijnlieff.integrations.torchrl import MijnlieffEnv

GAME = "mijnlieff:Mijnlieff-v0"


def random_actions(tensordict: TensorDictBase) -> TensorDictBase:
    """Draw actions by the mask in the data."""
    mask = tensordict["action_mask"].bool()
    drawn = torch.multinomial(mask.flatten(0, -2).float(), 1)
    return tensordict.set("action", drawn.view(mask.shape[:-1]))


def one_game() -> EnvBase:
    """Return one game as TorchRL takes any Gymnasium environment."""
    game = gymnasium.make(GAME, disable_env_checker=True)
    game = MaskInObservation(game, "observation", "int8")
    return GymWrapper(game, categorical_action_encoding=True)


def rate(env: EnvBase, steps: int) -> float:
    """Return steps per second, after a few to warm up."""
    data = env.reset()
    games = env.batch_size.numel()
    begin = 0.0
    for step in range(steps + 3):
        if step == 3:
            begin = time.perf_counter()
        _, data = env.step_and_maybe_reset(random_actions(data))
    return steps * games / (time.perf_counter() - begin)


def plain_rate(num_envs: int, steps: int) -> float:
    """Return steps per second of the plain batch with native random actions."""
    env = VectorEnv(num_envs, opponent="random")
    env.reset(seed=0)
    begin = time.perf_counter()
    for _ in range(steps):
        env.step(env.sample_actions())
    return steps * num_envs / (time.perf_counter() - begin)


def main() -> None:
    """Print steps per second, and their ratios to those of `SerialEnv`."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--envs", type=int, default=64)
    parser.add_argument("--steps", type=int, default=100)
    args = parser.parse_args()
    torch.set_num_threads(1)
    rates = {
        "MijnlieffEnv": rate(MijnlieffEnv(args.envs, opponent="random"), args.steps),
        "SerialEnv of GymWrapper": rate(SerialEnv(args.envs, one_game), args.steps),
        "VectorEnv without TorchRL": plain_rate(args.envs, args.steps),
    }
    base = rates["SerialEnv of GymWrapper"]
    for name, value in rates.items():
        print(f"{name:<28} {value:>12,.0f} steps/s {value / base:>8.1f} x")


if __name__ == "__main__":
    main()
