"""Reports of a run: logs, plots and tables."""
