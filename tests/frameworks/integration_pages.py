"""What the tests of all adapters share: the pages of the documentation."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[2] / "docs" / "integrations"


def run_page(name: str) -> dict[str, Any]:
    """Run the Python blocks of a page as a reader does, one after the other; return their scope."""
    text = (FOLDER / name).read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert blocks
    scope: dict[str, Any] = {"__name__": "page"}
    for block in blocks:
        exec(compile(block, name, "exec"), scope)
    return scope
