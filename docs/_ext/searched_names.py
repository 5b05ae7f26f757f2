"""Keeps the names of private modules out of the search of the site."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from sphinx.domains.python import PythonDomain

if TYPE_CHECKING:
    from sphinx.application import Sphinx


class SearchedNames(PythonDomain):
    """Python names, of which those of private modules can be linked to but not searched for."""

    def get_objects(self) -> Iterator[tuple[str, str, str, str, str, int]]:
        """Yield every name with what the search needs; the priority -1 leaves it out."""
        for *found, priority in super().get_objects():
            private = any(part.startswith("_") for part in found[0].split("."))
            yield (*found, -1 if private else priority)


def setup(app: Sphinx) -> dict[str, bool]:
    """Take the place of Sphinx's own domain."""
    app.add_domain(SearchedNames, override=True)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
