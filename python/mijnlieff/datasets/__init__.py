"""Data sets: games by a named recipe and seed, with the exact value of every action.

>>> import tempfile
>>> from mijnlieff.datasets import Recipe, make_dataset
>>> with tempfile.TemporaryDirectory() as folder:
...     data = make_dataset(Recipe("perfect:0.3", games=10), folder)
...     columns = data.load()
>>> columns["action"].shape == columns["margin"].shape
True
"""

from mijnlieff.datasets.dataset import Dataset, make_dataset, open_dataset
from mijnlieff.datasets.recipe import Recipe
from mijnlieff.evaluation.canonical import keys_of_observations

__all__ = ["Dataset", "Recipe", "keys_of_observations", "make_dataset", "open_dataset"]
