"""The browser of these tests."""

from __future__ import annotations

from browser import browser, page

__all__ = ["browser", "page"]
