"""A progress bar where somebody can see it."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["progress_bar"]


@contextmanager
def progress_bar(
    total: int, unit: str, description: str = "", enabled: bool = True
) -> Iterator[Callable[[int], object]]:
    """Show a bar on stderr and yield the function that moves it on by a number of units.

    Nothing is shown when `enabled` is false, when stderr is no terminal, or without tqdm. Quick
    work shows no bar either: it appears after half a second.
    """
    if not (enabled and sys.stderr.isatty()):
        yield lambda count: None
        return
    try:
        from tqdm import tqdm
    except ImportError:
        yield lambda count: None
        return
    with tqdm(total=total, unit=f" {unit}", desc=description, delay=0.5, leave=False) as bar:
        yield bar.update
