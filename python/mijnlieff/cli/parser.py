"""The parser of the command line, made from the modules of the commands."""

from __future__ import annotations

import argparse
import difflib
import importlib
from collections.abc import Collection, Container, Sequence
from typing import Any, NoReturn

from mijnlieff._mijnlieff import __version__

__all__ = ["COMMANDS", "CommandParser", "command_of", "make_parser", "parse"]

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
    "dataset": ("mijnlieff.cli.dataset", "write games with exact values as files"),
    "tablebase build": (
        "mijnlieff.cli.tablebase",
        "compute the exact margin of every position into a file",
    ),
    "export": ("mijnlieff.cli.export", "write a trained network as a small file"),
    "dev perft": ("mijnlieff.cli.dev.perft", "count action sequences"),
    "dev completion": (
        "mijnlieff.cli.dev.completion",
        "print a script for completion in the shell",
    ),
}
"""The module and a summary of each command. One of two words belongs to a group."""

_GROUPS = {
    "dev": ("check the rules, and set up the shell", ("dev perft 4",)),
    "tablebase": ("exact margins of all positions", ("tablebase build",)),
}
"""A summary and examples of each group."""


class CommandParser(argparse.ArgumentParser):
    """A parser that prints errors on one line, and may keep most options out of its help.

    Attributes:
        basic: the options that `--help` shows; None for all of them.
    """

    basic: Container[str] | None = None

    def error(self, message: str) -> NoReturn:
        """Print the error and exit with code 2."""
        self.exit(2, f"{self.prog}: error: {message} (see {self.prog} --help)\n")

    def show_only(self, basic: Container[str]) -> None:
        """Let `--help` show some options by their names, and add `--help-all` for the rest."""
        self.basic = basic
        self.add_argument("--help-all", action=_HelpAll, nargs=0, help="show all options, and exit")

    def format_help(self) -> str:
        """Return the help, without the options that it does not show."""
        if self.basic is None:
            return super().format_help()
        helps = [(action, action.help) for action in self._actions]
        groups = [(group, group.description) for group in self._action_groups]
        for action, _ in helps:
            if not any(name in self.basic for name in (*action.option_strings, action.dest)):
                action.help = argparse.SUPPRESS
        for group, _ in groups:
            group.description = None  # a group without options then has no text
        try:
            return super().format_help()
        finally:
            for action, text in helps:
                action.help = text
            for group, description in groups:
                group.description = description

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Raise for a choice that there is not, and name the nearest."""
        try:
            super()._check_value(action, value)
        except argparse.ArgumentError:
            known = {str(choice): str(choice) for choice in action.choices or ()}
            if isinstance(action, argparse._SubParsersAction):
                known = {name.rpartition(" ")[2]: name for name in COMMANDS} | known
            near = difflib.get_close_matches(str(value), known, 1)
            if not near:
                raise
            raise argparse.ArgumentError(
                action, f"invalid choice: {value!r}; did you mean {known[near[0]]!r}?"
            ) from None


class _HelpAll(argparse.Action):
    """Prints the help with all options."""

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> NoReturn:
        """Print it and exit."""
        assert isinstance(parser, CommandParser)
        parser.basic = None
        parser.print_help()
        parser.exit()


def command_of(arguments: Sequence[str]) -> str | None:
    """Return the command that the arguments call, or None if it is missing or unknown."""
    words = [argument for argument in arguments if not argument.startswith("-")]
    return next((name for name in COMMANDS if words[: len(name.split())] == name.split()), None)


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    """Return the arguments of a command line, whose `run` is the function of its command.

    Raises:
        SystemExit: help or the version was printed, or an error in one line.
    """
    command = command_of(arguments)
    args, rest = make_parser([] if command is None else [command]).parse_known_args(arguments)
    if len(rest) == 1 and not rest[0].startswith("-") and "record" in args:
        # argparse would take it only right after the word before it.
        if args.record == args.parser.get_default("record"):
            args.record = rest.pop()
    if rest:
        options = [option for action in args.parser._actions for option in action.option_strings]
        near = difflib.get_close_matches(rest[0].partition("=")[0], options, 1)
        hint = f"; did you mean {near[0]}?" if near else ""
        args.parser.error(f"unrecognized arguments: {' '.join(rest)}{hint}")
    return args


def make_parser(loaded: Collection[str]) -> CommandParser:
    """Return the parser of the command line.

    Args:
        loaded: the commands whose options are wanted. Only their modules are imported: others may
            need packages that are not installed.
    """
    parser = CommandParser(
        prog="mijnlieff",
        description="The board game Mijnlieff as an environment for learning.",
        **_with_examples(["play --dark champion:64", "grade champion", "train --help"]),
    )
    parser.add_argument("--version", action="version", version=f"mijnlieff {__version__}")
    commands = {"": _subcommands(parser)}
    for name, (module, summary) in COMMANDS.items():
        group, _, word = name.rpartition(" ")
        if group not in commands:
            commands[group] = _subcommands(_add(commands[""], group, *_GROUPS[group]))
        if name not in loaded:
            _add(commands[group], word, summary, ())
            continue
        command = importlib.import_module(module)
        examples = [f"{name} {example}".rstrip() for example in command.EXAMPLES]
        subparser = _add(commands[group], word, summary, examples)
        command.add_arguments(subparser)
        subparser.set_defaults(run=command.run, parser=subparser)
    return parser


def _subcommands(parser: argparse.ArgumentParser) -> Any:
    return parser.add_subparsers(dest="command", metavar="COMMAND", required=True)


def _add(commands: Any, name: str, summary: str, examples: Sequence[str]) -> CommandParser:
    """Add a command, or a group of commands."""
    description = summary[0].upper() + summary[1:] + "."
    added: CommandParser = commands.add_parser(
        name, help=summary, description=description, **_with_examples(examples)
    )
    return added


def _with_examples(examples: Sequence[str]) -> dict[str, Any]:
    """Return the arguments of a parser whose help ends with examples, a line each."""
    lines = ["Examples:", *(f"  mijnlieff {example}" for example in examples)]
    return {
        "epilog": "\n".join(lines),
        "formatter_class": argparse.RawDescriptionHelpFormatter,
    }
