"""The command line, as a process."""

import os
import subprocess
import sys

from processes import run_python

ENVIRONMENT = os.environ | {"OPENBLAS_NUM_THREADS": "1"}


def mijnlieff(*arguments, stdin="", **options):
    """A call that has ended."""
    return subprocess.run(
        [sys.executable, "-m", "mijnlieff", *map(str, arguments)],
        input=stdin,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
        env=ENVIRONMENT,
        **options,
    )


def printed(*arguments, **options):
    """Standard output of a call that goes well and has nothing else to say."""
    result = mijnlieff(*arguments, **options)
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout


def error_without(packages: str, *arguments: object) -> str:
    """The line that a command says on standard error where these packages are missing."""
    code = (
        f"import sys; sys.modules |= dict.fromkeys({packages.split()}); "
        "from mijnlieff.cli.main import main; sys.exit(main(sys.argv[1:]))"
    )
    result = run_python(code, *arguments)
    assert (result.returncode, result.stdout, result.stderr.count("\n")) == (1, "", 1)
    return result.stderr
