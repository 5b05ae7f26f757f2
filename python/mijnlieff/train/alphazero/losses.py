"""What a network gets wrong in positions whose policy and values are known."""

from __future__ import annotations

from torch import Tensor

from mijnlieff.train.network import CellNetwork, masked_log_softmax
from mijnlieff.train.network.regrets import regret_loss

__all__ = ["losses_of"]


def losses_of(
    network: CellNetwork,
    precision: str,
    observations: Tensor,
    masks: Tensor,
    policies: Tensor,
    values: Tensor,
    regrets: Tensor,
) -> tuple[Tensor, Tensor, Tensor]:
    """Evaluate positions, and compare what is found with what is known.

    Args:
        network: the network.
        precision: of its products, see `TrainConfig`.
        observations: as `CellNetwork.from_counts` takes them.
        masks: bool `(B, num_actions)`, True where legal.
        policies: float32 `(B, num_actions)`, each with a sum of 1.
        values: float32 `(B, 2)`, in the units of `CellNetwork.forward`.
        regrets: as `regrets_of` gives them.

    Returns:
        The cross entropy of each policy, float32 `(B,)`, the squared errors of the values, `(B,
        2)`, and the mean squared error of all known regrets.
    """
    logits, found, losing = network.outputs_with_regrets(observations, precision)
    entropies = -(policies * masked_log_softmax(logits, masks)).sum(dim=1)
    return entropies, (found - values).square(), regret_loss(losing, regrets)
