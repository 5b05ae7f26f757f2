"""What a run shows: progress, logs, plots and tables."""
