"""Puts SVG pictures that have links into the page itself: links in images do not work."""

from __future__ import annotations

import html
from pathlib import Path
from typing import TYPE_CHECKING

from docutils import nodes

if TYPE_CHECKING:
    from sphinx.application import Sphinx


def inline(app: Sphinx, document: nodes.document) -> None:
    """Replace images of a page by their drawings, where these have links."""
    for image in list(document.findall(nodes.image)):
        path = Path(app.srcdir) / image["uri"]
        drawing = path.read_text(encoding="utf-8") if path.suffix == ".svg" else ""
        if "<a href" in drawing:
            name = html.escape(image.get("alt", ""))
            group = f'<div class="linked-picture" role="group" aria-label="{name}">{drawing}</div>'
            image.parent.replace(image, nodes.raw("", group, format="html"))


def setup(app: Sphinx) -> dict[str, bool]:
    """Connect the function."""
    app.connect("doctree-read", inline)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
