"""Train a network on exact labels, without self-play.

    python examples/learn_from_labels.py

The solver labels positions of random games with their best actions. A small network learns to
predict them, and is graded against exact play before and after. The example needs PyTorch (``pip
install 'mijnlieff[train]'``).
"""

from __future__ import annotations

import argparse

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from mijnlieff import NetworkPolicy, grade, solve_batch
from mijnlieff.encoding import observe_batch
from mijnlieff.evaluation import random_openings

FIRST_PLY, LAST_PLY = 3, 14


def labeled(count: int) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Return observations ``(N, 56)``, masks ``(N, 65)`` and policy targets ``(N, 65)``."""
    plies = range(FIRST_PLY, LAST_PLY + 1)
    share = max(1, count // len(plies))
    positions = [p for ply in plies for p in random_openings(share, ply, seed=ply)]
    labels = solve_batch(positions)
    observations = observe_batch(positions, "flat")
    arrays = observations, labels.action_mask.astype(bool), labels.policy_targets
    return tuple(torch.from_numpy(array) for array in arrays)


def main() -> None:
    """Label positions, train a network and grade it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--positions", type=int, default=50_000)
    parser.add_argument("--epochs", type=int, default=20)
    parser.add_argument("--graded", type=int, default=1_500)
    args = parser.parse_args()
    torch.manual_seed(0)
    network = nn.Sequential(
        nn.Linear(56, 256), nn.ReLU(), nn.Linear(256, 256), nn.ReLU(), nn.Linear(256, 65)
    )

    def logits(observations: NDArray[np.float32], masks: NDArray[np.int8]) -> torch.Tensor:
        with torch.no_grad():
            result: torch.Tensor = network(torch.from_numpy(observations))
        return result

    player = NetworkPolicy(logits)
    print(grade(player, positions=args.graded, name="before"))
    observations, masks, targets = labeled(args.positions)
    optimizer = torch.optim.Adam(network.parameters(), lr=1e-3)
    for epoch in range(args.epochs):
        losses = []
        for rows in torch.randperm(len(targets)).split(512):
            scores = network(observations[rows]).masked_fill(~masks[rows], -1e9)
            loss = -(targets[rows] * scores.log_softmax(dim=1)).sum(dim=1).mean()
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            losses.append(loss.item())
        print(f"epoch {epoch + 1}: cross entropy {np.mean(losses):.3f}")
    print(grade(player, positions=args.graded, name="after"))


if __name__ == "__main__":
    main()
