"""What the tests of all adapters share: the pages of the documentation."""

from __future__ import annotations

import re
from typing import Any

from processes import ROOT


def run_page(name: str) -> dict[str, Any]:
    """Run the Python blocks of a page as a reader does, one after the other; return their scope."""
    text = (ROOT / "docs" / "integrations" / name).read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert blocks
    scope: dict[str, Any] = {"__name__": "page"}
    for block in blocks:
        exec(compile(block, name, "exec"), scope)
    return scope
