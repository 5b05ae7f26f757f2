"""The command ``mijnlieff``.

Exit codes: 0 for success, 1 for a failure, 2 for wrong arguments, 130 after Ctrl-C. Results go to
stdout; progress and errors, one line each, go to stderr.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial

from mijnlieff._util.output import run_program
from mijnlieff.cli.parser import command_of, parse

__all__ = ["main"]

_KEPT = {
    "dataset": "the finished files were kept: the same command goes on with them",
    "tablebase build": "the finished rows were kept: the same command goes on with them",
}
"""What Ctrl-C leaves of the commands that can be continued, and do not say so themselves."""


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit code.

    Args:
        argv: the arguments; None is those of the process.
    """
    arguments = list(sys.argv[1:] if argv is None else argv)
    command = command_of(arguments) or ""
    name = f"mijnlieff {command}".rstrip()
    return run_program(name, partial(_run, arguments), _KEPT.get(command, "nothing was kept"))


def _run(arguments: list[str]) -> int:
    args = parse(arguments)
    sys.path.append("")  # the current folder, for policies that are objects of modules
    return int(args.run(args) or 0)
