"""The parser of the command line, made from the modules of the commands."""

from __future__ import annotations

import argparse
import importlib
from collections.abc import Collection, Sequence
from typing import Any, NoReturn

from mijnlieff._mijnlieff import __version__

__all__ = ["COMMANDS", "command_of", "make_parser"]

COMMANDS = {
    "train": ("mijnlieff.cli.train", "train an agent by self-play and measure it"),
    "evaluate": ("mijnlieff.cli.evaluate", "play a match between two policies"),
    "tournament": ("mijnlieff.cli.tournament", "let policies play each other and rate them"),
    "grade": ("mijnlieff.cli.grade", "compare a policy with exact play"),
    "best-response": (
        "mijnlieff.cli.best_response",
        "compute the worst case of a policy against any opponent",
    ),
    "review": ("mijnlieff.cli.review", "list the moves of a game that gave points away"),
    "solve": ("mijnlieff.cli.solve", "solve a position exactly"),
    "play": ("mijnlieff.cli.play", "play in the terminal or a browser, or watch two policies"),
    "bench": ("mijnlieff.cli.bench", "measure the speed of steps, searches and the solver"),
    "export": ("mijnlieff.cli.export", "write a trained network as a small file"),
    "dev perft": ("mijnlieff.cli.dev.perft", "count action sequences"),
    "dev completion": (
        "mijnlieff.cli.dev.completion",
        "print a script for completion in the shell",
    ),
}
"""The module and a summary of each command. One of two words belongs to a group."""

_GROUPS = {"dev": ("check the rules, and set up the shell", "dev perft 4")}
"""A summary and an example of each group."""


class _Parser(argparse.ArgumentParser):
    """A parser that prints errors on one line."""

    def error(self, message: str) -> NoReturn:
        """Print the error and exit with code 2."""
        self.exit(2, f"{self.prog}: error: {message} (see {self.prog} --help)\n")


def command_of(arguments: Sequence[str]) -> str | None:
    """Return the command that the arguments call, or None if it is missing or unknown."""
    words = [argument for argument in arguments if not argument.startswith("-")]
    return next((name for name in COMMANDS if words[: len(name.split())] == name.split()), None)


def make_parser(loaded: Collection[str]) -> argparse.ArgumentParser:
    """Return the parser of the command line.

    Args:
        loaded: the commands whose options are wanted. Only their modules are imported: others may
            need packages that are not installed.
    """
    parser = _Parser(
        prog="mijnlieff",
        description="The board game Mijnlieff as an environment for learning.",
        epilog="Example: mijnlieff play --dark champion:64",
    )
    parser.add_argument("--version", action="version", version=f"mijnlieff {__version__}")
    commands = {"": _subcommands(parser)}
    for name, (module, summary) in COMMANDS.items():
        group, _, word = name.rpartition(" ")
        if group not in commands:
            commands[group] = _subcommands(_add(commands[""], group, *_GROUPS[group]))
        if name not in loaded:
            _add(commands[group], word, summary)
            continue
        command = importlib.import_module(module)
        subparser = _add(commands[group], word, summary, f"{name} {command.EXAMPLE}")
        command.add_arguments(subparser)
        subparser.set_defaults(run=command.run)
    return parser


def _subcommands(parser: argparse.ArgumentParser) -> Any:
    return parser.add_subparsers(dest="command", metavar="COMMAND", required=True)


def _add(commands: Any, name: str, summary: str, example: str = "") -> argparse.ArgumentParser:
    """Add a command, or a group of commands."""
    added: argparse.ArgumentParser = commands.add_parser(
        name,
        help=summary,
        description=summary[0].upper() + summary[1:] + ".",
        epilog=f"Example: mijnlieff {example}",
    )
    return added
