"""The command ``mijnlieff``.

Exit codes: 0 for success, 1 for a failure, 2 for wrong arguments, 130 after Ctrl-C. Results go to
stdout; progress and errors, one line each, go to stderr.
"""

from __future__ import annotations

import argparse
import importlib
import os
import sys
from collections.abc import Collection, Sequence
from typing import NoReturn

from mijnlieff._mijnlieff import __version__
from mijnlieff._util.progress import note
from mijnlieff.errors import BoardError, MijnlieffError, ParseError, VariantError

__all__ = ["COMMANDS", "main", "make_parser"]

COMMANDS = {
    "train": ("mijnlieff.cli.train", "train an agent by self-play and measure it"),
    "evaluate": ("mijnlieff.cli.evaluate", "play a match between two policies"),
    "tournament": ("mijnlieff.cli.tournament", "let policies play each other and rate them"),
    "grade": ("mijnlieff.cli.grade", "compare a policy with exact play"),
    "best-response": (
        "mijnlieff.cli.best_response",
        "compute the worst case of a policy against any opponent",
    ),
    "export": ("mijnlieff.cli.export", "write a trained network as a small file"),
    "solve": ("mijnlieff.cli.solve", "solve a position exactly"),
    "play": ("mijnlieff.cli.play", "play in the terminal or a browser, or watch two policies"),
    "bench": ("mijnlieff.cli.bench", "measure the speed of steps, searches and the solver"),
    "perft": ("mijnlieff.cli.perft", "count action sequences"),
    "completion": ("mijnlieff.cli.completion", "print a script for completion in the shell"),
}
"""The module and a summary of each command."""

_WRONG_ARGUMENT = (BoardError, ParseError, VariantError)
"""Errors about arguments of the command line, as opposed to failures while running."""


class _Parser(argparse.ArgumentParser):
    """A parser that prints errors on one line."""

    def error(self, message: str) -> NoReturn:
        """Print the error and exit with code 2."""
        self.exit(2, f"{self.prog}: error: {message} (see {self.prog} --help)\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code.

    Args:
        argv: the arguments; None is those of the process.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        try:
            code = _run(arguments)
        finally:
            if sys.stdout is not None:  # None if the shell closed it (>&-)
                sys.stdout.flush()
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:
        # The reader of the output is gone. Python flushes stdout again when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return code


def make_parser(loaded: Collection[str]) -> argparse.ArgumentParser:
    """Return the parser of the command line.

    Args:
        loaded: the commands whose options are wanted. Only their modules are imported: others may
            need packages that are not installed.
    """
    parser = _Parser(
        prog="mijnlieff", description="The board game Mijnlieff as an environment for learning."
    )
    parser.add_argument("--version", action="version", version=f"mijnlieff {__version__}")
    subparsers = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, (module, summary) in COMMANDS.items():
        subparser = subparsers.add_parser(
            name, help=summary, description=summary[0].upper() + summary[1:] + "."
        )
        if name in loaded:
            command = importlib.import_module(module)
            command.add_arguments(subparser)
            subparser.set_defaults(run=command.run)
    return parser


def _run(arguments: list[str]) -> int:
    chosen = next((argument for argument in arguments if not argument.startswith("-")), None)
    parser = make_parser([] if chosen is None else [chosen])
    try:
        args = parser.parse_args(arguments)
        sys.path.append(os.getcwd())  # for policies that are objects of modules
        return int(args.run(args))
    except SystemExit as end:  # argparse has printed help, version or an error
        return int(end.code or 0)
    except (MijnlieffError, ValueError, OSError, MemoryError) as error:
        if isinstance(error, BrokenPipeError):
            raise
        message = " ".join(str(error).split())
        note(f"mijnlieff {chosen}: error: {message}")
        ours = isinstance(error, MijnlieffError | OSError | MemoryError)
        return 2 if isinstance(error, _WRONG_ARGUMENT) or not ours else 1
