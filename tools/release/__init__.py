"""Build and check what is published."""
