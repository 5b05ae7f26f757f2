"""The command ``mijnlieff``.

Exit codes: 0 for success, 1 for a failure, 2 for wrong arguments, 130 after Ctrl-C. Results go to
stdout; progress and errors, one line each, go to stderr.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from mijnlieff._util.output import note, note_error
from mijnlieff.cli.parser import command_of, parse
from mijnlieff.errors import MijnlieffError

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
    try:
        try:
            code = _run(arguments)
        finally:
            if sys.stdout is not None:  # None if the shell closed it (>&-)
                sys.stdout.flush()
    except KeyboardInterrupt:
        command = command_of(arguments)
        kept = _KEPT.get(command or "", "nothing was kept")
        note(f"mijnlieff {command}: interrupted, {kept}")
        return 130
    except BrokenPipeError:
        # The reader of the output is gone. Python flushes stdout again when it exits.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return code


def _run(arguments: list[str]) -> int:
    try:
        args = parse(arguments)
        sys.path.append("")  # the current folder, for policies that are objects of modules
        return int(args.run(args) or 0)
    except SystemExit as end:  # argparse has printed help, version or an error
        return int(end.code or 0)
    except (MijnlieffError, ValueError, OSError, MemoryError) as error:
        if isinstance(error, BrokenPipeError):
            raise
        return note_error(f"mijnlieff {command_of(arguments)}", error)
