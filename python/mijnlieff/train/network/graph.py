"""Work on a GPU as a CUDA graph, which starts all of its kernels at once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, TypeVar

import torch
from torch import Tensor

__all__ = ["Graph"]

_Output = TypeVar("_Output")
_EAGER_CALLS = 3
"""Calls before the capture, in which libraries and optimizers set up their memory."""


class Graph(Generic[_Output]):
    """Calls a function of tensors by a CUDA graph.

    A step of learning is hundreds of kernels, and most take less time than it takes to start one. A
    graph starts all of them at once (https://docs.pytorch.org/docs/stable/notes/cuda.html, "CUDA
    Graphs"). It reads and writes the memory it was captured with, so what the function changes has
    to stay where it is.
    """

    def __init__(self, work: Callable[..., _Output]) -> None:
        """Keep the function.

        Args:
            work: must not wait for the GPU. Its inputs have the same shapes in every call.
        """
        self._work = work
        self._calls = 0
        self._inputs: tuple[Tensor, ...] = ()
        self._graph: torch.cuda.CUDAGraph | None = None

    def __call__(self, *inputs: Tensor) -> _Output:
        """Call the function.

        Args:
            inputs: on the GPU.

        Returns:
            What it returned. The next call may overwrite it.
        """
        if self._calls < _EAGER_CALLS:
            self._calls += 1
            return self._beside(inputs)
        if self._graph is None:
            self._graph = torch.cuda.CUDAGraph()
            self._inputs = tuple(part.clone() for part in inputs)
            with torch.cuda.graph(self._graph):  # runs nothing yet
                self._output: _Output = self._work(*self._inputs)
        for kept, new in zip(self._inputs, inputs, strict=True):
            kept.copy_(new)
        self._graph.replay()
        return self._output

    def _beside(self, inputs: tuple[Tensor, ...]) -> _Output:
        """Call the function on another stream, as a capture does."""
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            output = self._work(*inputs)
        torch.cuda.current_stream().wait_stream(stream)
        return output
