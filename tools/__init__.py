"""Programs of the repository, started from its root: ``python -m tools.measure.training``.

``data`` makes files of the package, and takes hours. ``measure`` writes what it measured as JSON
into ``docs/results``, and takes hours too. ``pages`` makes tables and plots of the website from
these files in seconds. ``release`` builds and checks what is published.
"""
