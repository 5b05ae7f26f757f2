"""Helpers for several parts of the package; not part of the public API."""
