"""Self-play with RLlib's PPO: one module plays both agents, and masks keep its actions legal.

    python examples/rllib_self_play.py

One module plays every game against itself. RLlib keeps the turns of the two agents apart, so
rewards need no change of sign. Games start after a few random plies, so that the module sees more
than its own openings. At the end it plays as a policy of the package against a random player. The
example needs RLlib (``pip install 'mijnlieff[rllib]'``).
"""

from __future__ import annotations

import argparse

import ray
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

from mijnlieff import evaluate
from mijnlieff.integrations.rllib import MijnlieffMultiAgentEnv, RLModulePolicy

RANDOM_PLIES = 6


def configuration(steps: int, runners: int) -> PPOConfig:
    """Return the settings: ``steps`` turns for each update, played by remote processes."""
    module = RLModuleSpec(
        module_class=ActionMaskingTorchRLModule,
        model_config=DefaultModelConfig(fcnet_hiddens=[256, 256], fcnet_activation="relu"),
    )
    config = PPOConfig().environment(
        MijnlieffMultiAgentEnv, env_config={"random_plies": RANDOM_PLIES}
    )
    config.env_runners(num_env_runners=runners, num_envs_per_env_runner=32)
    config.multi_agent(policies={"main"}, policy_mapping_fn=lambda agent, episode, **_: "main")
    config.rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs={"main": module}))
    config.training(
        train_batch_size_per_learner=steps,
        minibatch_size=512,
        num_epochs=4,
        lr=5e-4,
        gamma=1.0,  # the only reward comes at the end
        lambda_=0.9,
        entropy_coeff=0.01,
    )
    return config.debugging(seed=0)


def main() -> None:
    """Train and measure."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--iterations", type=int, default=50, help="updates of the module")
    parser.add_argument("--steps", type=int, default=4096, help="turns for each update")
    parser.add_argument("--runners", type=int, default=0, help="remote processes that play; 0: one")
    parser.add_argument("--games", type=int, default=1000, help="games of the last measurement")
    args = parser.parse_args()
    ray.init("local", num_cpus=args.runners + 1, include_dashboard=False)
    algorithm = configuration(args.steps, args.runners).build_algo()
    for iteration in range(1, args.iterations + 1):
        result = algorithm.train()
        if iteration % 5 == 0 or iteration == args.iterations:
            turns = result["num_env_steps_sampled_lifetime"]
            learner = result["learners"]["main"]
            print(f"{turns:,.0f} turns, entropy {learner['entropy']:.2f}", flush=True)
    report = evaluate(RLModulePolicy(algorithm.get_module("main")), "random", games=args.games)
    low, high = report.score_interval
    print(f"score against random: {report.score:.3f} ({low:.3f} to {high:.3f})")
    algorithm.stop()
    ray.shutdown()


if __name__ == "__main__":
    main()
