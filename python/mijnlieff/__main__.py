"""``python -m mijnlieff``, the same as the command ``mijnlieff``."""

import sys

from mijnlieff.cli.main import main

if __name__ == "__main__":
    sys.exit(main())
