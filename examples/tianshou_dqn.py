"""Deep Q-learning with Tianshou, against a random player.

    python examples/tianshou_dqn.py

The agent is Light in the PettingZoo environment, a masked random player is Dark. Tianshou keeps the
turns of both in one buffer, so the position after one step is the opponent's: returns over two
steps end at the agent's own next turn. The example needs Tianshou
(``pip install 'mijnlieff[tianshou]'``).
"""

from __future__ import annotations

import argparse

import numpy as np
import torch
from tianshou.algorithm import DQN
from tianshou.algorithm.modelfree.dqn import DiscreteQLearningPolicy
from tianshou.algorithm.multiagent.marl import MultiAgentOffPolicyAlgorithm
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.algorithm.random import MARLRandomDiscreteMaskedOffPolicyAlgorithm
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, PettingZooEnv
from tianshou.trainer import OffPolicyTrainerParams
from tianshou.utils.net.common import Net

from mijnlieff import mijnlieff_v0

ENVS, STEPS_PER_EPOCH = 16, 10_000


def make_env() -> PettingZooEnv:
    """Return one game as Tianshou takes it."""
    return PettingZooEnv(mijnlieff_v0.env(observation="flat"))


def make_agents(env: PettingZooEnv) -> MultiAgentOffPolicyAlgorithm:
    """Return a Q-learning agent as Light and a random player as Dark."""
    space = env.observation_space["observation"]
    policy = DiscreteQLearningPolicy(
        model=Net(state_shape=space.shape, action_shape=65, hidden_sizes=[256, 256]),
        action_space=env.action_space,
        eps_training=0.1,
    )
    light = DQN(
        policy=policy,
        optim=AdamOptimizerFactory(lr=5e-4),
        gamma=1.0,
        n_step_return_horizon=2,  # the agent's own next turn; after an odd number the opponent's
        target_update_freq=200,
    )
    dark = MARLRandomDiscreteMaskedOffPolicyAlgorithm(env.action_space)
    return MultiAgentOffPolicyAlgorithm(algorithms=[light, dark], env=env)


def main() -> None:
    """Train an agent and measure it."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--epochs", type=int, default=2, help="of 10,000 plies")
    parser.add_argument("--games", type=int, default=300)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    np.random.seed(args.seed)  # the random player and the exploration draw from it
    torch.manual_seed(args.seed)
    agents = make_agents(make_env())
    buffer = VectorReplayBuffer(100_000, ENVS)
    trained = Collector(agents, DummyVectorEnv([make_env] * ENVS), buffer, exploration_noise=True)
    tested = Collector(agents, DummyVectorEnv([make_env] * ENVS))
    agents.run_training(
        OffPolicyTrainerParams(
            training_collector=trained,
            test_collector=tested,
            max_epochs=args.epochs,
            epoch_num_steps=STEPS_PER_EPOCH,
            collection_step_num_env_steps=ENVS * 10,
            update_step_num_gradient_steps_per_sample=0.1,
            batch_size=256,
            test_step_num_episodes=200,
            multi_agent_return_reduction=lambda returns: returns[:, 0],
            show_progress=False,
        )
    )
    tested.reset()
    returns = tested.collect(n_episode=args.games).returns[:, 0]
    bound = 1.96 * returns.std() / len(returns) ** 0.5
    mean = returns.mean()
    print(f"mean return of Light: {mean:.3f} ({mean - bound:.3f} to {mean + bound:.3f})")


if __name__ == "__main__":
    main()
