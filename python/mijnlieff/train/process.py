"""What a run sets in its process: the device, PyTorch's threads, memory, and signals."""

from __future__ import annotations

import ctypes
import mmap
import os
import re
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any, Self

import torch

from mijnlieff._mijnlieff import MAX_THREADS, num_cores
from mijnlieff._util.arguments import check_type

__all__ = [
    "KEPT",
    "LARGEST",
    "StopSignal",
    "choose_device",
    "enough_memory",
    "keep_memory",
    "play_threads",
    "torch_threads",
]

# The numbers of these settings in glibc's malloc.h.
_M_TRIM_THRESHOLD = -1
_M_TOP_PAD = -2
_M_MMAP_THRESHOLD = -3
_ALLOCATOR_VARIABLES = ("MALLOC_TRIM_THRESHOLD_", "MALLOC_MMAP_THRESHOLD_", "GLIBC_TUNABLES")
_LACKS_MEMORY = re.compile(
    "you tried to allocate|out of memory|Storage size calculation overflowed"
)

KEPT = 1 << 30
"""The bytes of freed memory that `keep_memory` keeps."""
LARGEST = 32 << 20
"""The most bytes of a single allocation among them, which is the most that glibc takes."""


def choose_device(name: str | torch.device = "auto") -> torch.device:
    """The device of a run.

    Args:
        name: `"auto"` for CUDA if available, else Apple's MPS, else the CPU; or a device of
            PyTorch or its name, such as `"cpu"` or `"cuda:1"`.

    Raises:
        ValueError: PyTorch does not know the device or cannot use it here; the message says why.
        TypeError: neither a name nor a device.
    """
    if isinstance(name, torch.device):
        name = str(name)
    check_type("device", name, str)
    if name == "auto":
        if torch.cuda.is_available():
            return torch.device("cuda")
        return torch.device("mps" if torch.backends.mps.is_available() else "cpu")
    try:
        device = torch.device(name)
        (torch.zeros(1, device=device) + 1).item()  # the device "meta" has no numbers
    # Which error a missing device raises depends on the device and is not documented.
    except (RuntimeError, AssertionError, NotImplementedError) as error:
        reason = str(error).partition("\n")[0]
        raise ValueError(f"PyTorch cannot use the device {name!r} here: {reason}") from error
    return device


@contextmanager
def enough_memory(what: str) -> Iterator[None]:
    """Let a lack of memory in PyTorch be a `MemoryError` with a remedy.

    Args:
        what: what needs the memory, and what to choose instead.

    Raises:
        MemoryError: PyTorch could not get memory in the block.
    """
    try:
        yield
    except RuntimeError as error:
        # Only CUDA has a type for it.
        if isinstance(error, torch.cuda.OutOfMemoryError) or _LACKS_MEMORY.search(str(error)):
            raise MemoryError(f"not enough memory for {what}") from error
        raise


def play_threads(device: torch.device) -> int:
    """The threads of self-play: as many as the cores that learning leaves, and at least one.

    Args:
        device: where the network learns. On the CPU it takes the cores that PyTorch computes on.
    """
    taken = torch.get_num_threads() if device.type == "cpu" else 1
    return max(1, min(num_cores() - taken, MAX_THREADS))


def keep_memory() -> bool:
    """Let the C library keep memory that is freed, up to 1 GiB, for the rest of the process.

    A step of learning on the CPU takes and frees some hundred megabytes. glibc gives most of it
    back to the system each time, and the next step waits for empty pages: up to a fifth of its
    time. Where the system has large pages, what is kept lies in them: a step goes through so much
    memory that a processor looks up most small pages again. Where a variable of the environment
    sets the allocator, nothing changes.

    Returns:
        Whether it does; only glibc can.
    """
    if sys.platform != "linux" or any(name in os.environ for name in _ALLOCATOR_VARIABLES):
        return False
    library = ctypes.CDLL(None)
    set_option = getattr(library, "mallopt", None)  # musl has none
    if set_option is None:
        return False
    limits = ((_M_MMAP_THRESHOLD, LARGEST), (_M_TRIM_THRESHOLD, KEPT))
    if not all(set_option(option, limit) for option, limit in limits):
        return False
    _reserve_large_pages(library)
    return True


def _reserve_large_pages(library: ctypes.CDLL) -> None:
    """Let the heap grow by what is kept, and ask for large pages there.

    The system gives memory only to pages that are written. Later growth would not have the advice.
    """
    library.sbrk.restype = library.malloc.restype = ctypes.c_void_p
    library.malloc.argtypes, library.free.argtypes = [ctypes.c_size_t], [ctypes.c_void_p]
    library.madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
    start = library.sbrk(0)
    # Less than what would be given back at once.
    library.mallopt(_M_TOP_PAD, KEPT - 2 * LARGEST)
    library.free(library.malloc(LARGEST - mmap.PAGESIZE))
    library.mallopt(_M_TOP_PAD, 128 << 10)  # as it was
    first = -(-start // mmap.PAGESIZE) * mmap.PAGESIZE
    end = library.sbrk(0)
    if end > first:
        library.madvise(first, end - first, mmap.MADV_HUGEPAGE)


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


class StopSignal:
    """Context manager: SIGINT and SIGTERM raise KeyboardInterrupt, which `deferred` puts off.

    Python only lets the main thread handle signals; in other threads this does nothing.

    Attributes:
        number: the number of the signal that arrived, 0 before.
    """

    def __init__(self) -> None:
        """Start without a signal."""
        self.number = 0
        self._at_once = True
        self._before: dict[int, Any] = {}

    def __enter__(self) -> Self:
        """Install the handlers."""
        if threading.current_thread() is threading.main_thread():
            for number in (signal.SIGINT, signal.SIGTERM):
                self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *_: object) -> None:
        """Restore the handlers from before."""
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before.clear()

    @contextmanager
    def deferred(self) -> Iterator[None]:
        """Let the first signal only set `number` within the `with` block; a second still raises."""
        self._at_once = False
        try:
            yield
        finally:
            self._at_once = True

    def _note(self, number: int, frame: FrameType | None) -> None:
        raises = self._at_once or self.number != 0
        self.number = number
        if raises:
            raise KeyboardInterrupt
