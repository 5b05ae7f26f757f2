"""The command ``mijnlieff``.

Each subcommand is a module with ``EXAMPLES``, ``add_arguments`` and ``run``.

``run`` prints, and returns an exit code, or None for success. What fails there raises an error,
which `main` turns into a line and an exit code.
"""
