"""``mijnlieff play --browser``: a game on a local page."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
import threading
import webbrowser

from mijnlieff._mijnlieff import Position
from mijnlieff.cli.options import actions_of, integer, variant_of

__all__ = ["add_browser_arguments", "run_in_browser"]

_PATIENCE = 0.5


def add_browser_arguments(parser: argparse.ArgumentParser) -> None:
    """Add ``--browser``, ``--no-open`` and ``--port``."""
    group = parser.add_argument_group("page in a browser (needs the extra 'browser')")
    group.add_argument(
        "--browser", action="store_true", help="play on a local page instead of the terminal"
    )
    group.add_argument(
        "--no-open", action="store_true", help="print the address without opening a browser"
    )
    group.add_argument(
        "--port",
        type=integer(0, 65535),
        default=0,
        help="port of the page (default: one that is free)",
    )


def run_in_browser(args: argparse.Namespace, light: str, dark: str) -> int:
    """Serve the page until Ctrl-C, and return the exit code.

    Args:
        args: the options.
        light: the name of the first player, ``"human"`` for a person.
        dark: the name of the second player.

    Raises:
        ParseError: the record cannot be read.
        IllegalMoveError: the record has an illegal move.
        MissingExtraError: Tornado is not installed.
        OSError: the port is taken.
        ValueError: an unknown player, or no person among the players.
        CheckpointError: a path is missing, or is neither a run nor a network.
        PolicyError: the object of a module cannot be loaded.
    """
    from mijnlieff.widget.server import Server

    seat, opponent = _players(light, dark)
    server = Server(
        Position(variant_of(args)),
        opponent,
        seat,
        port=args.port,
        seed=args.seed,
        actions=actions_of(args),
        tablebase=args.tablebase,
    )

    def ready() -> None:
        print(f"The game is at {server.url}\nCtrl-C ends it.", flush=True)
        if not args.no_open:
            # Some browser commands return only when the browser is closed.
            threading.Thread(target=webbrowser.open, args=[server.url], daemon=True).start()

    try:
        asyncio.run(server.run(ready))
    except KeyboardInterrupt:
        print()
    if not server.table.join(_PATIENCE):
        # The thread of a search would keep the process alive until the search is done.
        if sys.stdout is not None:
            sys.stdout.flush()
        os._exit(0)
    return 0


def _players(light: str, dark: str) -> tuple[str, str]:
    """Return the seat of the person and the name of the opponent."""
    if "human" not in (light, dark):
        raise ValueError("on a page a person plays: give --light human or --dark human")
    if light == dark:
        return "both", "champion:64"
    return ("light", dark) if light == "human" else ("dark", light)
