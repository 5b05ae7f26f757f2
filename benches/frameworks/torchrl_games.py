"""Speed of the TorchRL environment beside TorchRL's own way to many games, in one run.

    python benches/frameworks/torchrl_games.py --envs 64 --steps 30

Every game is against a random player, and ended games restart. The first lines use TorchRL with a
masked random policy, whose time counts: on TorchRL's `SerialEnv` of single games, and on the native
batch. The last line is the batch without TorchRL. They take turns, and the least time of each step
counts, since other load on the machine only makes it longer.
"""

from __future__ import annotations

import argparse
import time

import gymnasium
import torch
from tensordict import TensorDictBase
from torchrl.envs import EnvBase, GymWrapper, SerialEnv

from mijnlieff import VectorEnv
from mijnlieff.cli.timing import Work, lines, measure, timed
from mijnlieff.envs import MaskInObservation
from mijnlieff.integrations.torchrl import MijnlieffEnv

GAME = "mijnlieff:Mijnlieff-v0"
SERIAL = "SerialEnv of GymWrapper"


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


def in_torchrl(name: str, env: EnvBase, steps: int, beside: str | None = None) -> Work:
    """Return the work of some steps in TorchRL, the same games every time."""

    def play() -> list[float]:
        torch.manual_seed(0)
        env.set_seed(0)
        data, taken = env.reset(), []
        for _ in range(steps):
            begin = time.perf_counter()
            _, data = env.step_and_maybe_reset(random_actions(data))
            taken.append(time.perf_counter() - begin)
        return taken

    return Work(name, steps * env.batch_size.numel(), play, beside)


def plainly(num_envs: int, steps: int) -> Work:
    """Return the work of some steps of the plain batch with native random actions."""
    env = VectorEnv(num_envs, opponent="random")

    def play() -> list[float]:
        env.reset(seed=0)
        return [timed(lambda: env.step(env.sample_actions())) for _ in range(steps)]

    return Work("VectorEnv without TorchRL", steps * num_envs, play, SERIAL)


def main() -> None:
    """Print steps per second, and their ratios to those of `SerialEnv`."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--envs", type=int, default=64)
    parser.add_argument("--steps", type=int, default=30)
    parser.add_argument("--seconds", type=float, default=1.0, help="seconds for each line")
    args = parser.parse_args()
    torch.set_num_threads(1)
    native = MijnlieffEnv(args.envs, opponent="random")
    works = [
        in_torchrl(SERIAL, SerialEnv(args.envs, one_game), args.steps),
        in_torchrl("MijnlieffEnv", native, args.steps, SERIAL),
        plainly(args.envs, args.steps),
    ]
    print(*lines(measure(works, args.seconds)), sep="\n")


if __name__ == "__main__":
    main()
