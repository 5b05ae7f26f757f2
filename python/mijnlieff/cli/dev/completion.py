"""``mijnlieff dev completion``: scripts that complete commands and options in the shell.

shtab makes them from the parsers of all commands. Such a script does not start Python when a key
is pressed; argcomplete would, and would load NumPy and Gymnasium each time.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from mijnlieff._util.extras import needs

__all__ = ["EXAMPLES", "add_arguments", "run"]

EXAMPLES = ("bash", "zsh")

_SHELLS = ("bash", "zsh", "fish")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Add the argument."""
    parser.add_argument("shell", choices=_SHELLS, metavar="SHELL", help=", ".join(_SHELLS))


def run(args: argparse.Namespace) -> None:
    """Print the script.

    Raises:
        MissingExtraError: shtab is not installed.
    """
    with needs("completion", "shtab", "terminal"):
        import shtab
    from mijnlieff.cli.parser import COMMANDS, make_parser

    parser = make_parser(COMMANDS)
    _complete_files(parser)
    print(shtab.complete(parser, args.shell))


def _complete_files(parser: argparse.ArgumentParser) -> None:
    """Complete the options that take a path with names of files, in all commands."""
    from shtab import FILE

    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for command in action.choices.values():
                _complete_files(command)
        elif action.type is Path or action.metavar in (
            "POLICY",
            "OPPONENT",
            "PLAYER",
            "CHECKPOINT",
            "RECORD",
            "BOARD",
            "BOARDS",
            "FILE",
        ):
            action.complete = FILE  # type: ignore[attr-defined]
