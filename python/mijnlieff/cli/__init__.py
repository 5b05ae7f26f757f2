"""The command ``mijnlieff``: each subcommand is a module with ``add_arguments`` and ``run``."""
