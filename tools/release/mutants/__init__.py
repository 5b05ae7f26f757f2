"""Changes of the code that tests should notice: `rust` makes them in the core, `python` above."""
