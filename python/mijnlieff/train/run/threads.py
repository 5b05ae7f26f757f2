"""Sets PyTorch's number of threads for a block of code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import torch

__all__ = ["torch_threads"]


@contextmanager
def torch_threads(number: int | None) -> Iterator[None]:
    """Let PyTorch use this many threads within the `with` block.

    Args:
        number: the number of threads; None changes nothing.
    """
    before = torch.get_num_threads()
    if number is not None:
        torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(before)
