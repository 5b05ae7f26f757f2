"""What the tests of the TorchRL adapter share."""

from __future__ import annotations

import torch


def random_actions(tensordict):  # TorchRL looks at the name of the argument
    """A policy that reads only the mask in the data."""
    mask = tensordict["action_mask"]
    drawn = torch.multinomial(mask.flatten(0, -2).float(), 1)
    return tensordict.set("action", drawn.view(mask.shape[:-1]))
