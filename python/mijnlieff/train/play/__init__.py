"""The games of a run on the workers of an executor."""
