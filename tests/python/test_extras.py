"""Messages for optional packages that are missing or too old."""

from __future__ import annotations

import pytest

from mijnlieff._util.extras import missing_extra, require_version
from mijnlieff.errors import MissingExtraError


def test_a_missing_package_is_named_with_its_command():
    error = missing_extra("the adapter", "SB3", "sb3", ImportError("no module"))
    assert isinstance(error, MissingExtraError)
    assert str(error) == "the adapter needs SB3 (no module): pip install 'mijnlieff[sb3]'"


def test_versions_are_compared_as_numbers(monkeypatch):
    monkeypatch.setattr("mijnlieff._util.extras.version", lambda name: "2.10.0a1")
    require_version("the adapter", "frame", "2.9", "frame")
    require_version("the adapter", "frame", "2.10", "frame")
    with pytest.raises(MissingExtraError, match=r"frame 2\.11 or newer, not 2\.10\.0a1"):
        require_version("the adapter", "frame", "2.11", "frame")


def test_a_missing_distribution_is_named():
    with pytest.raises(MissingExtraError, match=r"needs surely-missing .*mijnlieff\[frame\]"):
        require_version("the adapter", "surely-missing", "1", "frame")
