"""Chooses the device that a network computes on."""

from __future__ import annotations

import torch

__all__ = ["choose_device"]


def choose_device(name: str = "auto") -> torch.device:
    """The device of a run.

    Args:
        name: `"auto"` for CUDA if available, else Apple's MPS, else the CPU; or a name of PyTorch,
            such as `"cpu"` or `"cuda:1"`.

    Raises:
        ValueError: PyTorch does not know the device or cannot use it here; the message says why.
    """
    if name == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    try:
        device = torch.device(name)
        torch.zeros(1, device=device) + 1
    # Which error a missing device raises depends on the device and is not documented.
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).partition("\n")[0]
        raise ValueError(f"PyTorch cannot use the device {name!r} here: {reason}") from error
    return device
