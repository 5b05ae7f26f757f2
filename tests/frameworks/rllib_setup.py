"""What the tests of the RLlib adapter share. Ray runs in one process, unless workers are tested."""

from __future__ import annotations

import os
import tempfile
from contextlib import contextmanager

import ray
import torch
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
from ray.rllib.core.rl_module.multi_rl_module import MultiRLModuleSpec
from ray.rllib.core.rl_module.rl_module import RLModuleSpec
from ray.rllib.examples.rl_modules.classes.action_masking_rlm import ActionMaskingTorchRLModule

from mijnlieff import Board, Variant
from mijnlieff.integrations.rllib import (
    MaskedEnv,
    MijnlieffMultiAgentEnv,
    RandomMaskedRLModule,
)

SMALL = Variant(Board.from_text("###.\n####\n.###"), "anywhere", 3)
LARGE = Variant(Board.from_text("\n".join(["#####"] * 4)), "anywhere")
MASKED = RLModuleSpec(
    module_class=ActionMaskingTorchRLModule,
    model_config=DefaultModelConfig(fcnet_hiddens=[64, 64], fcnet_activation="relu"),
)
RANDOM = RLModuleSpec(module_class=RandomMaskedRLModule, model_config={"seed": 0})


@contextmanager
def running_ray():
    """Start Ray, never in a cluster that may be there; its files are deleted in the end."""
    torch.set_num_threads(1)
    os.environ["RAY_raylet_start_wait_time_s"] = "200"  # on a busy machine
    os.environ["RAY_worker_niceness"] = "0"  # at Ray's 15 they get nothing there
    # The paths of sockets must be short.
    with tempfile.TemporaryDirectory(prefix="ray", ignore_cleanup_errors=True) as folder:
        try:
            ray.init("local", num_cpus=2, include_dashboard=False, _temp_dir=folder)
            yield folder
        finally:
            ray.shutdown()


def multi_agent(config=None, **modules):
    """A configuration in which each game has "main" against one of the other modules, if any."""
    others = [name for name in modules if name != "main"]

    def mapped(agent, episode, **kwargs):
        return others[0] if others and hash(episode.id_) % 2 == agent else "main"

    return (
        PPOConfig()
        .environment(MijnlieffMultiAgentEnv, env_config=config or {})
        .env_runners(num_env_runners=0, num_envs_per_env_runner=16)
        .multi_agent(policies=set(modules), policy_mapping_fn=mapped, policies_to_train=["main"])
        .rl_module(rl_module_spec=MultiRLModuleSpec(rl_module_specs=modules))
        .training(train_batch_size_per_learner=1024, minibatch_size=256, num_epochs=4, gamma=1.0)
        .training(lr=1e-3, entropy_coeff=0.01)
        .debugging(seed=0)
    )


def single_agent(spec=MASKED, mode="vector_entry_point", **config):
    return (
        PPOConfig()
        .environment(MaskedEnv, env_config=config)
        .env_runners(num_env_runners=0, num_envs_per_env_runner=32, gym_env_vectorize_mode=mode)
        .rl_module(rl_module_spec=spec)
        .training(train_batch_size_per_learner=4096, minibatch_size=512, num_epochs=4, gamma=1.0)
        .training(lr=1e-3, entropy_coeff=0.01)
        .debugging(seed=0)
    )
