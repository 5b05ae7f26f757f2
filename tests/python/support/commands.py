"""The command line, as a process."""

import os
import subprocess
import sys

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
