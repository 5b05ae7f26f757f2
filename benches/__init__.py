"""Programs that measure speed; run them from the root of the repository."""
