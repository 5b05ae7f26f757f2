"""Make the book, benchmarks and champion of the package, and the values of the atlas."""

from tools.results import ROOT

__all__ = ["DATA"]

DATA = ROOT / "python" / "mijnlieff" / "data"
"""The folder of the package's files."""
