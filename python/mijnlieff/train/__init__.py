"""Training a policy-value network by self-play, and using what it learnt.

`mijnlieff train` on the command line is the usual way in; `load_policy` makes a player of the
checkpoint it leaves behind. PyTorch is imported only once one of them runs.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from mijnlieff.train.extras import require_train_extra

if TYPE_CHECKING:
    from mijnlieff import MCTSPolicy, NetworkPolicy

__all__ = ["load_policy"]


def load_policy(
    path: str | os.PathLike[str], temperature: float = 0.0, num_simulations: int = 0
) -> NetworkPolicy | MCTSPolicy:
    """A player from a checkpoint of `mijnlieff train`.

    Args:
        path: the checkpoint, or the run's folder.
        temperature: 0 always plays the likeliest action; 1 draws from the policy as it was learnt.
        num_simulations: of a tree search for every move; 0 asks the network alone.

    Raises:
        CheckpointError: the file is missing, truncated, damaged or foreign.
        MissingExtraError: PyTorch is not installed.
    """
    require_train_extra("torch")
    from mijnlieff.train.policy import policy_from_checkpoint

    return policy_from_checkpoint(path, temperature, num_simulations)
