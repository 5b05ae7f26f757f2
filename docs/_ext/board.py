"""The directive ``{board}``, which puts a board to play on into a page."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from board_files import place, write
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.util.docutils import SphinxDirective

if TYPE_CHECKING:
    from sphinx.application import Sphinx


class Board(SphinxDirective):
    """A board to play on.

    With the option ``shared`` it shows the game that the page's address holds, and with ``solved``
    what each move is worth.
    """

    option_spec: ClassVar = {"shared": directives.flag, "solved": directives.flag}

    def run(self) -> list[nodes.Node]:
        """Return the place of the board."""
        root = "../" * self.env.docname.count("/")
        board = "solved" if "solved" in self.options else "play"
        return [nodes.raw("", place(root, board, "shared" in self.options), format="html")]


def write_files(app: Sphinx, exception: Exception | None) -> None:
    """Write the files of the board beside the pages."""
    if exception is None and app.builder.format == "html":
        write(Path(app.outdir))


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the directive, and write the files when the pages are written."""
    app.add_directive("board", Board)
    app.connect("build-finished", write_files)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
