"""Where the games and the measurements of a run are played."""
