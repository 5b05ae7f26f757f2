"""Learn from recorded games alone: behavior cloning, and conservative Q-learning by TorchRL.

    python examples/offline_learning.py

Their player errs in three of ten decisions. Needs ``pip install 'mijnlieff[minari,torchrl]'``.
"""

from __future__ import annotations

import argparse
import tempfile

import minari
import numpy as np
import torch
from tensordict import TensorDict
from tensordict.nn import TensorDictModule
from torch import Tensor, nn
from torchrl.modules import QValueActor
from torchrl.objectives import DiscreteCQLLoss, SoftUpdate

from mijnlieff import NetworkPolicy, grade
from mijnlieff.datasets import Recipe, make_dataset
from mijnlieff.integrations.minari import to_minari


def transitions(dataset: minari.MinariDataset) -> TensorDict:
    """Return all steps of a data set of Minari, with masks."""
    steps = []
    for episode in dataset:
        seen = torch.from_numpy(episode.observations)
        mask = torch.from_numpy(episode.infos["action_mask"]).bool()
        done = torch.from_numpy(episode.terminations)[:, None]
        reward = torch.from_numpy(episode.rewards)[:, None].float()
        then = {"observation": seen[1:], "mask": mask[1:], "reward": reward}
        step = {"observation": seen[:-1], "mask": mask[:-1]}
        step["action"] = torch.from_numpy(episode.actions)
        step["next"] = then | {"done": done, "terminated": done}
        steps.append(TensorDict(step, len(episode)))
    return torch.cat(steps)


class Network(nn.Sequential):
    """A number for each action; that of an illegal one is very low."""

    def forward(self, observation: Tensor, mask: Tensor) -> Tensor:
        """Return the numbers ``(B, 65)``."""
        return super().forward(observation).masked_fill(~mask, -100.0)

    @torch.no_grad()
    def scores(self, observations: np.ndarray, masks: np.ndarray) -> Tensor:
        """Return the numbers for a policy."""
        return self(torch.from_numpy(observations), torch.from_numpy(masks).bool())


def learn(data: TensorDict, steps: int, conservative: bool) -> Network:
    """Return a network of values, which prefers what won, or one that imitates the actions."""
    layers = nn.Linear(56, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 65)
    network = Network(*layers)
    values = TensorDictModule(network, ["observation", "mask"], ["action_value"])
    kind = {"action_space": "categorical"}
    loss = DiscreteCQLLoss(QValueActor(values, **kind), **kind)
    loss.make_value_estimator(gamma=1.0)
    targets = SoftUpdate(loss, tau=0.005)
    optimizer = torch.optim.Adam(network.parameters(), 3e-4)
    for rows in torch.randint(len(data), (steps, 256)):
        batch = data[rows]
        if conservative:
            losses = loss(batch)
            total = losses["loss_qvalue"] + 0.1 * losses["loss_cql"]
        else:
            logits = network(batch["observation"], batch["mask"])
            total = nn.functional.cross_entropy(logits, batch["action"])
        optimizer.zero_grad()
        total.backward()
        optimizer.step()
        targets.step()
    return network


def main() -> None:
    """Make the data set, learn from it in both ways, and grade."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--steps", type=int, default=2000)
    args = parser.parse_args()
    torch.manual_seed(0)
    name = "mijnlieff/offline-example-v0"
    with tempfile.TemporaryDirectory() as folder:
        recipe = Recipe("perfect:0.3", games=args.games)
        data = transitions(to_minari(make_dataset(recipe, folder), name))
    minari.delete_dataset(name)
    for method, conservative in (("behavior cloning", False), ("conservative Q-learning", True)):
        total = grade(NetworkPolicy(learn(data, args.steps, conservative).scores)).total
        print(f"{method}: {total.optimal:.1%} optimal, regret {total.regret:.2f}", flush=True)


if __name__ == "__main__":
    main()
