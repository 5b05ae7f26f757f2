"""The subcommands of ``mijnlieff``: each module has ``add_arguments(parser)`` and ``run(args)``."""
