"""Finds out whether a stream is a terminal that can show rich output."""

from __future__ import annotations

import os
from typing import Any, TextIO

__all__ = ["rich_console"]


def rich_console(stream: TextIO | None) -> Any:
    """Return a console of rich for a terminal, or None.

    It is None for pipes, files and closed streams, on terminals that cannot move the cursor
    (``TERM=dumb``), and where rich is not installed (extra ``terminal``). With ``NO_COLOR`` in the
    environment the console has neither colours nor bold text.
    """
    if stream is None or not stream.isatty() or os.environ.get("TERM") == "dumb":
        return None
    try:
        from rich.console import Console
    except ImportError:
        return None
    return Console(
        file=stream,
        force_terminal=True,
        force_jupyter=False,
        color_system=None if os.environ.get("NO_COLOR") else "auto",
        highlight=False,
    )
