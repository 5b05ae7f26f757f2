"""Warns of pages that load anything from another host, so that the site works offline."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sphinx.application import Sphinx


#: What a browser fetches by itself, unlike the target of a link.
_LOADED = re.compile(
    r"<(?:script|img|iframe|source|video|audio|embed)\b[^>]*?\bsrc\s*=\s*[\"']?((?:https?:)?//[^\"'\s>]+)"
    r"|<link\b(?=[^>]*\brel=[\"']?(?:stylesheet|preload|icon|modulepreload))[^>]*?"
    r"\bhref\s*=\s*[\"']?((?:https?:)?//[^\"'\s>]+)"
    r"|url\(\s*[\"']?((?:https?:)?//[^\"')\s]+)"
    r"|@import\s+[\"']((?:https?:)?//[^\"']+)"
)


def loaded(text: str) -> list[str]:
    """Return the addresses on other hosts that an HTML page or a style sheet loads."""
    return [next(filter(None, groups)) for groups in _LOADED.findall(text)]


def check(app: Sphinx, exception: Exception | None) -> None:
    """Look at every page and style sheet that was written."""
    from sphinx.util import logging  # the tests load this file without Sphinx

    if exception is not None or app.builder.format != "html":
        return
    for path in sorted(Path(app.outdir).rglob("*")):
        if path.suffix in (".html", ".css"):
            for address in loaded(path.read_text(encoding="utf-8")):
                name = path.relative_to(app.outdir)
                logging.getLogger(__name__).warning("%s loads %s", name, address)


def setup(app: Sphinx) -> dict[str, bool]:
    """Check when all files are written."""
    app.connect("build-finished", check)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
