"""Steps per second of `MaskedEnv` in RLlib: its native vector form beside RLlib's vectorization.

    python benches/frameworks/rllib_games.py [--games 64] [--seconds 4]

RLlib makes a batch of single environments by Gymnasium's ``SyncVectorEnv``, wrapped in
``DictInfoToList``, as here. "environment" is a step of the batch with the first legal actions,
"env runner" is RLlib's ``SingleAgentEnvRunner`` with random legal actions, which adds its own work
for each game. The forms take turns, so that other load affects both of them, and the best of
several parts counts for each.
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

from mijnlieff.integrations.rllib import MaskedEnv, RandomMaskedRLModule

MODES = ("vector_entry_point", "sync")
PARTS = 4


def make_runner(mode: str, games: int, opponent: str) -> SingleAgentEnvRunner:
    """Return RLlib's runner of a batch of games."""
    config = PPOConfig().environment(MaskedEnv, env_config={"opponent": opponent})
    config.env_runners(num_envs_per_env_runner=games, gym_env_vectorize_mode=mode)
    config.rl_module(rl_module_spec=RLModuleSpec(module_class=RandomMaskedRLModule))
    return SingleAgentEnvRunner(config=config)


def environment_rate(runner: SingleAgentEnvRunner, seconds: float) -> float:
    """Return the steps of a game in a second without RLlib's runner."""
    observations, _ = runner.env.reset(seed=0)
    begin, steps = time.perf_counter(), 0
    while (spent := time.perf_counter() - begin) < seconds:
        actions = np.asarray(observations["action_mask"]).argmax(axis=1)
        observations = runner.env.step(actions)[0]
        steps += runner.num_envs
    return steps / spent


def runner_rate(runner: SingleAgentEnvRunner, seconds: float) -> float:
    """Return the steps of a game in a second with RLlib's runner."""
    begin, steps = time.perf_counter(), 0
    while (spent := time.perf_counter() - begin) < seconds:
        runner.sample(num_timesteps=4 * runner.num_envs, force_reset=not steps)
        steps += 4 * runner.num_envs
    return steps / spent


def main() -> None:
    """Measure both forms in turns and print the ratios."""
    parser = argparse.ArgumentParser(description="Measure MaskedEnv in RLlib.")
    parser.add_argument("--games", type=int, default=64, help="games of a batch")
    parser.add_argument("--opponent", default="random", help="the opponent in the environment")
    parser.add_argument("--seconds", type=float, default=4.0, help="seconds for each number")
    args = parser.parse_args()
    logging.disable(logging.WARNING)
    warnings.simplefilter("ignore")
    runners = {mode: make_runner(mode, args.games, args.opponent) for mode in MODES}
    print(f"{args.games} games against {args.opponent}, steps of a game in a second")
    print(f"{'':12}  {'native':>10}  {'sync':>10}  ratio")
    for name, rate in (("environment", environment_rate), ("env runner", runner_rate)):
        best = dict.fromkeys(MODES, 0.0)
        for _ in range(PARTS):
            for mode, runner in runners.items():
                best[mode] = max(best[mode], rate(runner, args.seconds / PARTS))
        native, sync = best.values()
        print(f"{name:12}  {native:10,.0f}  {sync:10,.0f}  {native / sync:5.1f}")
    for runner in runners.values():
        runner.stop()


if __name__ == "__main__":
    main()
