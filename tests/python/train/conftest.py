"""All of this folder has the marker of PyTorch, and nothing is collected without it."""

import importlib.util
from pathlib import Path

import pytest

HERE = Path(__file__).parent
#: They need nothing, or say themselves what they need.
ANYWHERE = {"test_train_extra.py", "test_train_settings.py"}

if not all(importlib.util.find_spec(package) for package in ("torch", "matplotlib")):
    collect_ignore = [it.name for it in HERE.glob("test_*.py") if it.name not in ANYWHERE]


def pytest_itemcollected(item: pytest.Item) -> None:
    if item.path.name not in ANYWHERE:
        item.add_marker("torch")
