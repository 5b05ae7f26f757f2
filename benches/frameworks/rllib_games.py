"""Steps per second of `MaskedEnv` in RLlib: its native vector form beside RLlib's vectorization.

    python benches/frameworks/rllib_games.py [--games 64] [--seconds 4]

RLlib makes a batch of single environments by Gymnasium's ``SyncVectorEnv``, wrapped in
``DictInfoToList``, as here. "environment" is a step of the batch with the first legal actions,
"env runner" is RLlib's ``SingleAgentEnvRunner`` with random legal actions, which adds its own work
for each game. The forms take turns, so that other load affects both of them.
"""

from __future__ import annotations

import argparse
import logging
import time
import warnings

import numpy as np
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.env.single_agent_env_runner import SingleAgentEnvRunner

from mijnlieff.cli.timing import Work, lines, measure, timed
from mijnlieff.integrations.rllib import MaskedEnv, RandomMaskedRLModule

#: The name of each form in RLlib; that of RLlib itself is the reference.
MODES = {"sync": "sync", "native": "vector_entry_point"}
STEPS = 32
SAMPLED = 4


def make_runner(mode: str, games: int, opponent: str) -> SingleAgentEnvRunner:
    """Return RLlib's runner of a batch of games."""
    config = PPOConfig().environment(MaskedEnv, env_config={"opponent": opponent})
    config.env_runners(num_envs_per_env_runner=games, gym_env_vectorize_mode=mode)
    config.rl_module(rl_module_spec=RLModuleSpec(module_class=RandomMaskedRLModule))
    return SingleAgentEnvRunner(config=config)


def environment(runner: SingleAgentEnvRunner, name: str, beside: str | None) -> Work:
    """Return the work of steps without RLlib's runner, the same actions every time."""

    def play() -> list[float]:
        observations, taken = runner.env.reset(seed=0)[0], []
        for _ in range(STEPS):
            begin = time.perf_counter()
            actions = np.asarray(observations["action_mask"]).argmax(axis=1)
            observations = runner.env.step(actions)[0]
            taken.append(time.perf_counter() - begin)
        return taken

    return Work(name, STEPS * runner.num_envs, play, beside)


def env_runner(runner: SingleAgentEnvRunner, name: str, beside: str | None) -> Work:
    """Return the work of a few steps with RLlib's runner, whose games go on from call to call."""
    count = SAMPLED * runner.num_envs

    def sample() -> None:
        runner.sample(num_timesteps=count)

    # The other work has moved the games of the runner's environment.
    runner.sample(num_timesteps=count, force_reset=True)
    return Work(name, count, lambda: [timed(sample)], beside)


def main() -> None:
    """Measure both forms in turns and print a line for each."""
    parser = argparse.ArgumentParser(description="Measure MaskedEnv in RLlib.")
    parser.add_argument("--games", type=int, default=64, help="games of a batch")
    parser.add_argument("--opponent", default="random", help="the opponent in the environment")
    parser.add_argument("--seconds", type=float, default=4.0, help="seconds for each line")
    args = parser.parse_args()
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    runners = {form: make_runner(mode, args.games, args.opponent) for form, mode in MODES.items()}
    print(f"{args.games} games against {args.opponent}, steps of a game in a second")
    for what, work in (("environment", environment), ("env runner", env_runner)):
        reference = f"{what}, sync"
        works = [
            work(runner, f"{what}, {form}", None if form == "sync" else reference)
            for form, runner in runners.items()
        ]
        print(*lines(measure(works, args.seconds)), sep="\n")
    for runner in runners.values():
        runner.stop()


if __name__ == "__main__":
    main()
