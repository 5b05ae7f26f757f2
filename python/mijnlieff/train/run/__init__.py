"""A run: its loop, its folder and its checkpoints."""
