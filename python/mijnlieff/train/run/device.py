"""Where a network computes."""

from __future__ import annotations

import torch

__all__ = ["choose_device"]


def choose_device(name: str = "auto") -> torch.device:
    """The device of a run.

    Args:
        name: `"auto"` takes a CUDA device, or else Apple's, or else the processor; any other name
            is PyTorch's own, such as `"cpu"` or `"cuda:1"`.

    Raises:
        ValueError: no such device, or PyTorch cannot use it here; the message says why.
    """
    if name == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.zeros(1, device=device) + 1
    # What a device that is missing raises differs by device; PyTorch documents none of it.
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).partition("\n")[0]
        raise ValueError(f"PyTorch cannot use the device {name!r} here: {reason}") from error
    return device
